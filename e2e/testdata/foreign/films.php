<?php
// The Frond `films`: a host in PHP and its standard library. A connection has one request.
//
//   php films.php
declare(strict_types=1);

const MAX_BODY = 1 << 20;
const TEXT = ['type' => 'string'];
const FILM = ['title' => 'film', 'type' => 'object', 'x-kit-version' => 1, 'required' => ['id', 'title', 'year'], 'properties' => [
    'id' => TEXT + ['x-kit' => ['role' => ['primary' => true]]],
    'title' => TEXT,
    'year' => ['type' => 'integer'],
    'price' => ['type' => ['string', 'null'], 'format' => 'decimal', 'x-kit' => ['lifecycle' => ['create' => 'optional']]],
]];
const LIST_CARD = ['title' => 'filmList', 'type' => 'object', 'x-kit-version' => 1, 'required' => [], 'properties' => [
    'filter' => ['type' => 'object'], 'sort' => TEXT, 'offset' => ['type' => 'integer'], 'limit' => ['type' => 'integer', 'maximum' => 100],
]];
const DISCOVERY = ['x-kit-version' => 1, 'fronds' => [['name' => 'films', 'facts' => [], 'doors' => [['name' => 'film', 'schema' => FILM, 'ops' => [
    ['name' => 'list', 'kind' => 'query', 'input' => LIST_CARD],
    ['name' => 'findById', 'kind' => 'query', 'output' => FILM],
    ['name' => 'create', 'kind' => 'command', 'input' => FILM, 'output' => FILM],
    ['name' => 'update', 'kind' => 'command', 'input' => FILM, 'output' => FILM],
    ['name' => 'delete', 'kind' => 'command'],
]]]]]];
$films = [];
foreach (['Alien' => 1979, 'Brazil' => 1985, 'Contact' => 1997] as $title => $year) {
    $id = 'f' . (count($films) + 1);
    $films[$id] = ['id' => $id, 'title' => $title, 'year' => $year, 'price' => '9.50'];
}

final class KitError extends Exception
{
    public function __construct(public string $kit, string $message, public ?array $details = null)
    {
        parent::__construct($message);
    }
}

function invalid(string $pointer, string $code, string $message): KitError
{
    return new KitError('VALIDATION_FAILED', $message, [['path' => basename($pointer), 'pointer' => $pointer, 'code' => $code, 'message' => $message]]);
}

function judge(array $body, bool $patch): void
{
    foreach ($body as $name => $v) {
        $field = FILM['properties'][$name] ?? throw invalid("/body/$name", 'unknown_key', "$name is no field of film; leave it out");
        $is = is_string($v) ? 'string' : (is_int($v) ? 'integer' : ($v === null ? 'null' : gettype($v)));
        if (!in_array($is, (array) $field['type'], true)) {
            throw invalid("/body/$name", 'type', "$name is $is; write " . implode(' or ', (array) $field['type']));
        }
    }
    foreach ($patch ? [] : FILM['required'] as $name) {
        if (!array_key_exists($name, $body)) {
            throw invalid("/body/$name", 'required', "$name is missing");
        }
    }
}

function meets(array $film, array $filter): bool
{
    foreach ($filter as $name => $test) {
        if (!isset(FILM['properties'][$name]) || !is_array($test) || array_diff(array_keys($test), ['eq', 'in'])) {
            throw invalid("/query/filter/$name", 'operator', 'a filter here is {field: {eq: value}} or {field: {in: [values]}}');
        }
        foreach ($test as $op => $v) {
            if ($op === 'eq' ? $film[$name] !== $v : !in_array($film[$name], $v, true)) {
                return false;
            }
        }
    }
    return true;
}

function page(array $films, array $query): array
{
    foreach ($query as $name => $_) {
        if (!isset(LIST_CARD['properties'][$name])) {
            throw invalid("/query/$name", 'unknown_key', "list takes no $name; leave it out");
        }
    }
    $all = array_values(array_filter($films, fn ($film) => meets($film, $query['filter'] ?? [])));
    $sort = $query['sort'] ?? 'id';
    $key = ltrim($sort, '-');
    if (!isset(FILM['properties'][$key])) {
        throw invalid('/query/sort', 'unknown_key', "there is no $key to sort by");
    }
    usort($all, fn ($a, $b) => ($sort === $key ? 1 : -1) * ([$a[$key], $a['id']] <=> [$b[$key], $b['id']]));
    $items = array_slice($all, $query['offset'] ?? 0, $query['limit'] ?? 50);
    return ['items' => $items, 'total' => count($all), 'hasMore' => ($query['offset'] ?? 0) + count($items) < count($all), 'endCursor' => null];
}

function run(string $operation, array $call): mixed
{
    global $films;
    $id = $call['params']['id'] ?? '';
    $found = fn () => $films[$id] ?? throw new KitError('NOT_FOUND', 'there is no film with this id');
    switch ($operation) {
        case 'list':
            return page($films, $call['query'] ?? []);
        case 'findById':
            return $films[$id] ?? null;
        case 'create':
            $body = $call['body'] ?? [];
            judge($body, false);
            if (isset($films[$body['id']])) {
                throw new KitError('CONFLICT', 'there is a film with this id');
            }
            return $films[$body['id']] = $body + ['price' => null];
        case 'update':
            judge($call['body'] ?? [], true);
            return $films[$id] = ($call['body'] ?? []) + $found();
        case 'delete':
            $found();
            unset($films[$id]);
            return true;
    }
}

function failure(mixed $id, int $number, array $data): array
{
    return ['jsonrpc' => '2.0', 'id' => $id, 'error' => ['code' => $number, 'message' => $data['message'], 'data' => $data]];
}

function answer(mixed $frame): array
{
    if (!is_array($frame) || ($frame['jsonrpc'] ?? '') !== '2.0' || !is_string($frame['method'] ?? null)) {
        return failure(null, -32600, ['code' => 'BAD_REQUEST', 'message' => 'this is not a JSON-RPC 2.0 request']);
    }
    $id = $frame['id'] ?? null;
    [$entity, $operation] = explode('.', $frame['method'] . '.');
    if ($frame['method'] === 'rpc.discover') {
        return ['jsonrpc' => '2.0', 'id' => $id, 'result' => DISCOVERY];
    }
    if ($entity !== 'film' || !in_array($operation, array_column(DISCOVERY['fronds'][0]['doors'][0]['ops'], 'name'), true)) {
        return failure($id, -32601, ['code' => 'NOT_FOUND', 'message' => "there is no {$frame['method']}"]);
    }
    try {
        return ['jsonrpc' => '2.0', 'id' => $id, 'result' => run($operation, $frame['params'] ?? [])];
    } catch (KitError $e) {
        $data = ['code' => $e->kit, 'message' => $e->getMessage(), 'entity' => $entity, 'operation' => $operation];
        return failure($id, -32000, $e->details ? $data + ['details' => $e->details] : $data);
    }
}

/** Reads a request and returns the status and the value of its answer. */
function respond($socket): array
{
    $line = (string) fgets($socket);
    $length = 0;
    while (($header = fgets($socket)) !== false && trim($header) !== '') {
        if (stripos($header, 'content-length:') === 0) {
            $length = (int) substr($header, 15);
        }
    }
    $body = (string) stream_get_contents($socket, $length);
    if (!str_starts_with($line, 'POST /_kit/call ')) {
        return [404, failure(null, -32600, ['code' => 'NOT_FOUND', 'message' => 'there is no such path'])];
    }
    if ($length > MAX_BODY) {
        return [413, failure(null, -32600, ['code' => 'PAYLOAD_TOO_LARGE', 'message' => 'a body has at most 1 MiB'])];
    }
    $post = json_decode($body, true);
    if (json_last_error() !== JSON_ERROR_NONE) {
        return [200, failure(null, -32700, ['code' => 'BAD_REQUEST', 'message' => 'this is not JSON'])];
    }
    return [200, is_array($post) && $post !== [] && array_is_list($post) ? array_map(answer(...), $post) : answer($post)];
}

pcntl_async_signals(true);
pcntl_signal(SIGTERM, fn () => exit(0));
$server = stream_socket_server('tcp://127.0.0.1:0');
fwrite(STDERR, 'listening on http://' . stream_socket_get_name($server, false) . "\n");
while (true) {
    $socket = @stream_socket_accept($server, -1);
    if ($socket === false) {
        continue;
    }
    [$status, $value] = respond($socket);
    $body = json_encode($value, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    @fwrite($socket, "HTTP/1.1 $status .\r\nContent-Type: application/json\r\nContent-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n$body");
    fclose($socket);
}
