# The Frond `songs`: a host in Ruby and its standard library.
#
#   ruby songs.rb
require "json"
require "socket"

MAX_BODY = 1 << 20
TEXT = {type: "string"}.freeze

def card(title, properties, required = [])
  {title:, type: "object", properties:, required:, "x-kit-version": 1}
end

SONG = card("song", {
  id: TEXT.merge("x-kit": {role: {primary: true}}),
  title: TEXT,
  seconds: {type: "integer", minimum: 1},
  singerId: {type: %w[string null], "x-kit": {role: {relation: {to: "singer", kind: "one"}}, lifecycle: {create: "optional"}}}
}, %w[id title seconds])
SINGER = card("singer", {id: TEXT.merge("x-kit": {role: {primary: true}}), name: TEXT}, %w[id name])
LIST = {filter: {type: "object"}, sort: {type: "array", items: TEXT}, offset: {type: "integer"}, limit: {type: "integer"}}.freeze
OPS = {"list" => "query", "findById" => "query", "findByIds" => "query", "create" => "command", "delete" => "command"}.freeze
CARDS = {"song" => SONG, "singer" => SINGER}.freeze

def ops(door)
  OPS.map do |name, kind|
    op = {name:, kind:}
    op[:input] = card("#{door}List", LIST) if name == "list"
    op[:input] = CARDS[door] if name == "create"
    op[:output] = CARDS[door] if %w[findById create].include?(name)
    op
  end
end

DISCOVERY = {"x-kit-version": 1, fronds: [{name: "songs", facts: [], doors: CARDS.map { |name, schema| {name:, schema:, ops: ops(name)} }}]}.freeze
ROWS = {
  "song" => [%w[Alma 200], %w[Bye 180], %w[Cry 240]].each_with_index.map { |(title, seconds), n| {"id" => "s#{n + 1}", "title" => title, "seconds" => seconds.to_i, "singerId" => "a1"} },
  "singer" => [{"id" => "a1", "name" => "Ada"}, {"id" => "a2", "name" => "Bob"}]
}.freeze

class KitError < StandardError
  attr_reader :code, :details

  def initialize(code, message, details = nil)
    super(message)
    @code, @details = code, details
  end
end

def invalid(pointer, code, message)
  KitError.new("VALIDATION_FAILED", message, [{path: pointer.split("/").last, pointer:, code:, message:}])
end

def judge(door, body)
  fields = CARDS[door][:properties].transform_keys(&:to_s)
  body.each do |name, v|
    raise invalid("/body/#{name}", "unknown_key", "#{name} is no field of #{door}; leave it out") unless fields[name]

    is = {NilClass => "null", String => "string", Integer => "integer"}[v.class]
    types = Array(fields[name][:type])
    raise invalid("/body/#{name}", "type", "#{name} has to be #{types.join(" or ")}") unless types.include?(is)
    raise invalid("/body/#{name}", "minimum", "#{name} is below 1") if is == "integer" && v < fields[name][:minimum]
  end
  CARDS[door][:required].each { |name| raise invalid("/body/#{name}", "required", "#{name} is missing") unless body.key?(name) }
end

def meets?(door, row, filter)
  filter.all? do |name, test|
    unless CARDS[door][:properties].key?(name.to_sym) && test.is_a?(Hash) && (test.keys - %w[eq in]).empty?
      raise invalid("/query/filter/#{name}", "operator", "a filter here is {field: {eq: value}} or {field: {in: [values]}}")
    end
    test.all? { |op, v| op == "eq" ? row[name] == v : v.include?(row[name]) }
  end
end

def list(door, query)
  query.each_key { |name| raise invalid("/query/#{name}", "unknown_key", "list takes no #{name}; leave it out") unless LIST.key?(name.to_sym) }
  rows = ROWS[door].select { |row| meets?(door, row, query.fetch("filter", {})) }.sort_by { |row| row["id"] }
  query.fetch("sort", []).reverse_each do |name|
    rows = rows.sort_by.with_index { |row, n| [row[name.delete_prefix("-")].to_s, n] }
    rows.reverse! if name.start_with?("-")
  end
  items = rows.drop(query.fetch("offset", 0)).first(query.fetch("limit", 50))
  {items:, total: rows.size, hasMore: query.fetch("offset", 0) + items.size < rows.size, endCursor: nil}
end

def run(door, operation, call)
  rows = ROWS[door]
  case operation
  when "list" then list(door, call["query"])
  when "findById" then rows.find { |row| row["id"] == call["params"]["id"] }
  when "findByIds" then rows.select { |row| call["query"]["ids"].include?(row["id"]) }
  when "create"
    judge(door, call["body"])
    raise KitError.new("CONFLICT", "there is a #{door} with this id") if rows.any? { |row| row["id"] == call["body"]["id"] }

    rows.push(door == "song" ? {"singerId" => nil}.merge(call["body"]) : call["body"]).last
  when "delete"
    rows.reject! { |row| row["id"] == call["params"]["id"] } or raise KitError.new("NOT_FOUND", "there is no #{door} with this id")
    true
  end
end

def failure(id, number, data)
  {jsonrpc: "2.0", id:, error: {code: number, message: data[:message], data:}}
end

def answer(frame)
  unless frame.is_a?(Hash) && frame["jsonrpc"] == "2.0" && frame["method"].is_a?(String)
    return failure(nil, -32_600, {code: "BAD_REQUEST", message: "this is not a JSON-RPC 2.0 request"})
  end
  return {jsonrpc: "2.0", id: frame["id"], result: DISCOVERY} if frame["method"] == "rpc.discover"

  door, operation = frame["method"].split(".", 2)
  unless CARDS.key?(door) && OPS.key?(operation)
    return failure(frame["id"], -32_601, {code: "NOT_FOUND", message: "there is no #{frame["method"]}"})
  end
  call = {"params" => {}, "query" => {}, "body" => {}}.merge(frame["params"] || {})
  {jsonrpc: "2.0", id: frame["id"], result: run(door, operation, call)}
rescue KitError => e
  failure(frame["id"], -32_000, {code: e.code, message: e.message, entity: door, operation:, details: e.details}.compact)
end

def respond(post)
  post.is_a?(Array) && !post.empty? ? post.map { |frame| answer(frame) } : answer(post)
end

# serve answers the requests of a connection, one after another.
def serve(socket)
  while (line = socket.gets)
    length = 0
    while (header = socket.gets) && header != "\r\n"
      length = header.split(":", 2).last.to_i if header.downcase.start_with?("content-length:")
    end
    status, reply = 200, nil
    if !line.start_with?("POST /_kit/call ")
      status, reply = 404, failure(nil, -32_600, {code: "NOT_FOUND", message: "there is no such path"})
      socket.read(length)
    elsif length > MAX_BODY
      IO.copy_stream(socket, File::NULL, length)
      status, reply = 413, failure(nil, -32_600, {code: "PAYLOAD_TOO_LARGE", message: "a body has at most 1 MiB"})
    else
      begin
        post = JSON.parse(socket.read(length))
        reply = LOCK.synchronize { respond(post) }
      rescue JSON::ParserError
        reply = failure(nil, -32_700, {code: "BAD_REQUEST", message: "this is not JSON"})
      end
    end
    body = JSON.generate(reply)
    socket.write("HTTP/1.1 #{status} .\r\nContent-Type: application/json\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}")
  end
rescue Errno::ECONNRESET, Errno::EPIPE
  nil # the caller went away
ensure
  socket.close
end

LOCK = Mutex.new
trap("TERM") { exit! 0 }
server = TCPServer.new("127.0.0.1", 0)
warn "listening on http://127.0.0.1:#{server.addr[1]}"
loop { Thread.new(server.accept) { |socket| serve(socket) } }
