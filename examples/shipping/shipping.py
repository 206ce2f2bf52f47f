#!/usr/bin/env python3
"""The Frond `shipping`: parcels of the shop's orders, and what a parcel costs.

Python 3 and its standard library, written from the spec's section 1.9 alone: one
path, JSON-RPC 2.0, rpc.discover, and a whole KitError in error.data. A second path
gives gateways the fact that a parcel was handed to its carrier."""
import argparse, json, signal, sqlite3, sys, threading, time, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

PATH, FACTS, MAX_BODY = "/_kit/call", "/_kit/facts", 1 << 20
KEPT = 10_000  # events; who is further behind reads the parcels again
CARRIERS = {"post": (490, 3), "courier": (990, 1), "bicycle": (290, 1)}  # cents, days
SEEDS = [("p-1", "o-24104", "post", "shipped", 6400, "2025-01-23T09:10:00Z"), ("p-2", "o-24104", "courier", "packed", 310, None)]
CLOSED = {"in": "closed"}  # written by the host alone


def card(title, properties, required):
    return {"title": title, "type": "object", "properties": properties, "required": required, "x-kit-version": 1}


PARCEL = card("parcel", {
    "id": {"type": "string", "x-kit": {"role": {"primary": True}, "lifecycle": {"create": {"generate": "uuid"}}, "boundary": CLOSED}},
    "orderId": {"type": "string", "x-kit": {"role": {"relation": {"to": "order", "kind": "one"}}}},
    "carrier": {"type": "string", "enum": list(CARRIERS)},
    "status": {"type": "string", "enum": ["packed", "shipped"], "x-kit": {"lifecycle": {"create": {"value": "packed"}}, "boundary": CLOSED}},
    "weight": {"type": "integer", "minimum": 1, "maximum": 30000, "description": "In grams."},
    "shippedAt": {"type": ["string", "null"], "format": "date-time", "x-kit": {"lifecycle": {"create": "optional"}, "boundary": CLOSED}},
}, ["orderId", "carrier", "weight"])
ID = card("parcelId", {"id": {"type": "string"}}, ["id"])
LIST = card("parcelList", {"filter": {"type": "object"}, "limit": {"type": "integer", "minimum": 0, "maximum": 500}}, [])
WANTED = card("rateWanted", {"carrier": PARCEL["properties"]["carrier"], "weight": PARCEL["properties"]["weight"]}, ["carrier", "weight"])
QUOTE = card("rateQuote", {"cents": {"type": "integer"}, "days": {"type": "integer"}}, ["cents", "days"])


class KitError(Exception):
    def __init__(self, code, message, **more):
        super().__init__(message)
        self.data = {"code": code, "message": message, **more}


def judge(card, value, at):
    """Refuses unknown keys, missing ones and wrong values, all of them at once."""
    fields, wrong = card["properties"], []

    def refuse(name, code, message):
        wrong.append({"path": name, "pointer": f"{at}/{name}", "code": code, "message": message})

    for name in filter(lambda name: name not in value, card["required"]):
        refuse(name, "required", "is missing")
    for name, v in value.items():
        f = fields.get(name)
        if f is None:
            refuse(name, "unknown_key", "is not part of the card; leave it out")
        elif f.get("x-kit", {}).get("boundary") == CLOSED:
            refuse(name, "read_only", "is written by the host alone; leave it out")
        elif type(v) is not {"string": str, "integer": int, "object": dict}[f["type"]]:
            refuse(name, "type", "has to be a " + f["type"])
        elif "enum" in f and v not in f["enum"]:
            refuse(name, "enum", "has to be one of " + ", ".join(f["enum"]))
        elif f["type"] == "integer" and not f["minimum"] <= v <= f["maximum"]:
            refuse(name, "minimum" if v < f["minimum"] else "maximum", f"is not from {f['minimum']} to {f['maximum']}")
    if wrong:
        raise KitError("VALIDATION_FAILED", f"{wrong[0]['path']} {wrong[0]['message']}", details=wrong)
    return value


class Shipping:
    """The operations. Each takes the invocation (spec 2.6)."""

    def __init__(self, file):
        self.methods = {f"{d['name']}.{o['name']}": getattr(self, f"{d['name']}_{o['name']}") for d in DOORS for o in d["ops"]}
        self.lock, self.db = threading.Condition(), sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("create table if not exists parcel (id text primary key, orderId, carrier, status, weight, shippedAt)")
        if not self.rows("select 1 from parcel limit 1"):
            self.db.executemany("insert into parcel values (?,?,?,?,?,?)", SEEDS)
        self.db.execute("create table if not exists event (position integer primary key autoincrement, id, key, at, data)")
        if not self.rows("select 1 from sqlite_sequence"):  # a new log begins behind every older one
            self.db.execute("insert into sqlite_sequence values ('event', ?)", [time.time_ns() // 1000])

    def rows(self, sql, *args):
        with self.lock:  # one statement at a time; each commits by itself
            return [dict(r) for r in self.db.execute(sql, args).fetchall()]

    def parcel_list(self, call):
        query, where, args = judge(LIST, call["query"], "/query"), ["1"], []
        for name, test in query.get("filter", {}).items():
            values = test.get("in", [test.get("eq")]) if isinstance(test, dict) and [*test] in (["eq"], ["in"]) else None
            if name not in PARCEL["properties"] or not isinstance(values, list) or any(isinstance(v, (list, dict)) for v in values):
                raise KitError("VALIDATION_FAILED", "a filter here is {field: {eq: value}} or {field: {in: [values]}}")
            where.append(f"{name} in ({','.join('?' * len(values))})")
            args += values
        rows = f"from parcel where {' and '.join(where)}"
        total = self.rows("select count(*) n " + rows, *args)[0]["n"]
        items = self.rows(f"select * {rows} order by id limit ?", *args, query.get("limit", 50))
        return {"items": items, "total": total, "hasMore": total > len(items), "endCursor": None}

    def parcel_findById(self, call):
        found = self.rows("select * from parcel where id = ?", judge(ID, call["params"], "/params")["id"])
        return found[0] if found else None

    def parcel_create(self, call):
        staff(call)
        body = judge(PARCEL, call["body"], "/body")
        row = (str(uuid.uuid4()), body["orderId"], body["carrier"], "packed", body["weight"])
        return self.rows("insert into parcel values (?,?,?,?,?,null) returning *", *row)[0]

    def parcel_dispatch(self, call):
        staff(call)
        with self.lock, self.db:  # the fact is there if and only if the change is
            self.db.execute("begin immediate")
            sent = self.rows("update parcel set status = 'shipped', shippedAt = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') "
                             "where id = ? and status = 'packed' returning *", judge(ID, call["params"], "/params")["id"])
            for row in sent:
                self.db.execute("insert into event (id, key, at, data) values (?, ?, ?, ?)", [str(uuid.uuid4()), row["id"], row["shippedAt"], json.dumps(row)])
            self.db.execute("delete from event where position <= (select max(position) from event) - ?", [KEPT])
            self.lock.notify_all()  # those who wait for an event
        if not sent and self.parcel_findById(call) is None:
            raise KitError("NOT_FOUND", "there is no parcel with this id")
        if not sent:
            raise KitError("CONFLICT", "the parcel is on its way already")
        return sent[0]

    def rate_quote(self, call):
        body = judge(WANTED, call["body"], "/body")
        cents, days = CARRIERS[body["carrier"]]
        return {"cents": cents + body["weight"] // 1000 * 50, "days": days}


    def span(self):
        """The position behind which nothing is missing, and the last one."""
        last = self.rows("select seq from sqlite_sequence")[0]["seq"]
        return (self.rows("select min(position) - 1 n from event")[0]["n"] or last), last

    def facts(self, query):
        """GET /_kit/facts: what was announced behind a position. It waits while there is nothing."""
        ask = {"after": "0", "limit": "100", "wait": "0", **dict(parse_qsl(query))}
        if not all(ask[name].isdigit() for name in ("after", "limit", "wait")) or ask.get("names", ANNOUNCED) != ANNOUNCED:
            raise KitError("VALIDATION_FAILED", f"after, limit and wait are whole numbers; the only name is {ANNOUNCED}")
        after, limit, wait = (int(ask[name]) for name in ("after", "limit", "wait"))
        with self.lock:
            oldest, last = self.span()
            if after > last or 0 < after < oldest:
                raise KitError("GONE", "this position is not in the log; read the parcels, and start at the beginning", details={"oldest": str(oldest)})
            if limit:
                self.lock.wait_for(lambda: self.span()[1] > after, min(wait, 30))
            found = self.rows("select * from event where position > ? order by position limit ?", after, min(limit, 500))
            oldest, last = self.span()
        events = [{"id": e["id"], "position": str(e["position"]), "name": ANNOUNCED, "entity": "parcel", "key": e["key"], "at": e["at"],
                   "data": json.loads(e["data"])} for e in found]
        behind = events[-1]["position"] if events else str(last if limit else after)
        return {"events": events, "position": behind, "oldest": str(oldest), "last": str(last)}


def staff(call):
    """Who calls is in the state (spec 5.1): only staff pack and send parcels."""
    user = call["state"].get("user")
    if not user:
        raise KitError("UNAUTHORIZED", "say who you are")
    if "staff" not in user.get("roles", []):
        raise KitError("FORBIDDEN", "parcels are the staff's affair")


DOORS = [
    {"name": "parcel", "schema": PARCEL, "ops": [
        {"name": "list", "kind": "query", "input": LIST}, {"name": "findById", "kind": "query", "output": PARCEL},
        {"name": "create", "kind": "command", "input": PARCEL, "output": PARCEL},
        {"name": "dispatch", "kind": "command", "params": ID, "output": PARCEL, "description": "Hands a packed parcel to its carrier."}]},
    {"name": "rate", "ops": [{"name": "quote", "kind": "query", "input": WANTED, "output": QUOTE}]}]
ANNOUNCED = "parcelDispatched"
DISCOVERY = {"x-kit-version": 1, "fronds": [{"name": "shipping", "doors": DOORS, "facts": [{"name": ANNOUNCED, "schema": PARCEL}]}]}


def answer(shipping, frame):
    """The reply to one frame; None to a notification."""
    if not isinstance(frame, dict) or frame.get("jsonrpc") != "2.0" or not isinstance(frame.get("method"), str):
        return failure(None, -32600, "BAD_REQUEST", "this is not a JSON-RPC 2.0 request")
    method, sent, frame_id = frame["method"], frame.get("params") or {}, frame.get("id")
    entity, _, operation = method.partition(".")
    try:
        run = {"rpc.discover": lambda _: DISCOVERY, **shipping.methods}.get(method)
        call = {part: sent.get(part) or {} for part in ("params", "query", "body", "state")}
        reply = {"jsonrpc": "2.0", "id": frame_id, "result": run(call)} if run else failure(
            frame_id, -32601, "NOT_FOUND", "there is " + ", ".join(shipping.methods))
    except KitError as e:
        reply = failure(frame_id, -32000, **e.data, entity=entity, operation=operation)
    except Exception as e:  # ours to look at, and nobody else's
        print(f"{method}: {e!r}", file=sys.stderr, flush=True)
        reply = failure(frame_id, -32000, "INTERNAL_ERROR", "something went wrong here")
    return reply if "id" in frame else None


def failure(frame_id, number, code, message, **more):
    data = {"code": code, "message": message, **more}
    return {"jsonrpc": "2.0", "id": frame_id, "error": {"code": number, "message": message, "data": data}}


class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True

    def do_POST(self):
        size = self.headers.get("Content-Length", "")
        if self.path != PATH or not size.isdigit() or int(size) > MAX_BODY:
            self.close_connection = True  # what was not read cannot be skipped
            return self.reply(404 if self.path != PATH else 413 if size.isdigit() else 411, None)
        try:
            frames = json.loads(self.rfile.read(int(size)))
        except ValueError:
            return self.reply(200, failure(None, -32700, "BAD_REQUEST", "this is not JSON"))
        if not isinstance(frames, list) or not frames:
            return self.reply(200, answer(self.server.shipping, frames))
        self.reply(200, [r for r in (answer(self.server.shipping, f) for f in frames) if r] or None)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path != FACTS:
            return self.reply(404, None)
        try:
            self.reply(200, self.server.shipping.facts(query))
        except KitError as e:
            self.reply(410 if e.data["code"] == "GONE" else 400, failure(None, -32600, **e.data))

    def reply(self, status, value):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(204 if status == 200 and not body else status)
        if body or status != 200:  # 204 has neither (RFC 9110, 15.3.5)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    log_message = lambda *_: None  # of every request


if __name__ == "__main__":
    args = argparse.ArgumentParser(description="The Frond shipping")
    args.add_argument("--port", type=int, default=4200, help="4200 by default; 0 is any that is free")
    args.add_argument("--host", default="127.0.0.1", help="who reaches it can claim to be anyone: 127.0.0.1 by default")
    args.add_argument("--file", default=":memory:", help="where the parcels are kept; in memory by default")
    args = args.parse_args()
    server = ThreadingHTTPServer((args.host, args.port), Handler)
    server.shipping = Shipping(args.file)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"listening on http://{args.host}:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()
