#!/usr/bin/env python3
"""A host and a consumer of another make. Python 3 and its standard library.

    tasks.py                serves the Frond `tasks`: lists take where, orderBy, order, page and limit; that of
                            task has no input card, that of duty names these words
    tasks.py URL DOOR ID    rebuilds the cards of the host at URL, reads DOOR in those words, judges the
                            rows, and prints each answer as a line of JSON"""
import json, sys, urllib.request

sys.dont_write_bytecode = True  # a test leaves no file
from host import serve

TEXT = {"type": "string"}
TASK = {"title": "task", "type": "object", "required": ["title", "status", "rank", "ownerId"], "x-kit-version": 1, "properties": {
    "id": {**TEXT, "x-kit": {"role": {"primary": True}}}, "title": TEXT, "status": {**TEXT, "enum": ["open", "done"]},
    "rank": {"type": "integer"}, "ownerId": {"type": ["string", "null"]}}}
DAY = {"title": "day", "type": "object", "required": ["day"], "properties": {"day": TEXT}}
PLAIN = {"title": "plain", "type": "object", "properties": {"filter": {"type": "object"}, "limit": {"type": "integer"}}}
WORDS = {"title": "words", "type": "object", "properties": {
    "where": {"type": "object"}, "orderBy": TEXT, "order": TEXT, "page": {"type": "integer"}, "limit": {"type": "integer"}}}
DISCOVERY = {"x-kit-version": 1, "fronds": [{"name": "tasks", "facts": [], "doors": [
    {"name": "task", "schema": TASK, "ops": [
        {"name": "list", "kind": "query"}, {"name": "findById", "kind": "query", "output": TASK},
        {"name": "postpone", "kind": "command", "input": DAY, "output": TASK, "cardinality": "one"}]},
    {"name": "duty", "schema": {**TASK, "title": "duty"}, "ops": [
        {"name": "list", "kind": "query", "input": WORDS}, {"name": "findById", "kind": "query"}]},
    {"name": "chore", "schema": {**TASK, "title": "chore"}, "ops": [{"name": "list", "kind": "query", "input": PLAIN}]}]}]}
tasks = [{"id": f"t{n}", "title": f"Task {n}", "status": "open" if n % 2 else "done", "rank": n * 7 % 5, "ownerId": "ann" if n < 5 else None}
         for n in range(1, 8)]


class KitError(Exception):
    pass


def refuse(message):
    raise KitError({"code": "VALIDATION_FAILED", "message": message})


def page(rows, limit, number=1):
    first = (number - 1) * limit
    return {"items": rows[first:first + limit], "total": len(rows), "hasMore": first + limit < len(rows), "endCursor": None}


def task_list(call):
    query = {"where": {}, "orderBy": "id", "order": "asc", "page": 1, "limit": 50, **call["query"]}
    if len(query) > 5 or type(query["page"]) is not int or type(query["limit"]) is not int or set(query["where"]) - set(TASK["properties"]):
        refuse("list takes where, orderBy, order, page and limit")
    rows = [t for t in tasks if all(t[name] == value for name, value in query["where"].items())]
    rows.sort(key=lambda t: t[query["orderBy"]], reverse=query["order"] == "desc")
    return page(rows, query["limit"], query["page"])


def chore_list(call):
    conditions = call["query"].get("filter", {})
    if any(name not in TASK["properties"] or set(test) != {"eq"} for name, test in conditions.items()):
        refuse("filter takes fields with eq")
    rows = [t for t in tasks if all(t[name] == test["eq"] for name, test in conditions.items())]
    return page(rows, call["query"].get("limit", 50))


def postpone(call):
    found = [t for t in tasks if t["id"] == call["params"].get("id")]
    if not found:
        raise KitError({"code": "NOT_FOUND", "message": "there is no task with this id"})
    return {**found[0], "title": "on " + call["body"]["day"]}


def by_id(call):
    return next((t for t in tasks if t["id"] == call["params"]["id"]), None)


METHODS = {"rpc.discover": lambda _: DISCOVERY, "task.list": task_list, "duty.list": task_list, "chore.list": chore_list,
           "task.postpone": postpone, "task.findById": by_id, "duty.findById": by_id}


def answer(frame):
    sent = frame.get("params") or {}
    call = {"params": sent.get("params") or {}, "query": sent.get("query") or {}, "body": sent.get("body")}
    reply = {"jsonrpc": "2.0", "id": frame["id"]}
    if frame["method"] not in METHODS:
        return reply | {"error": {"code": -32601, "message": "no such method"}}
    try:
        return reply | {"result": METHODS[frame["method"]](call)}
    except KitError as e:
        return reply | {"error": {"code": -32000, "message": e.args[0]["message"], "data": e.args[0]}}


TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list, "null": type(None)}


def rebuild(card, at):
    """Returns a judge of values by a card; a field that states no type cannot be judged."""
    fields = {}
    for name, field in card.get("properties", {}).items():
        if "type" not in field:
            sys.exit(f"{at}.{name} states no type")
        types = field["type"] if isinstance(field["type"], list) else [field["type"]]
        fields[name] = tuple(TYPES[t] for t in types), field.get("enum")
        rebuild(field, f"{at}.{name}")

    def judge(row):
        for name, value in row.items():
            types, values = fields[name]
            if not isinstance(value, types) or values and value not in values:
                sys.exit(f"{at}.{name} has a value that its card refuses")
        return row
    return judge


def consume(url, door, id):
    def call(method, **invocation):
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": invocation}
        request = urllib.request.Request(url + "/_kit/call", json.dumps(frame).encode(), {"Content-Type": "application/json"})
        reply = json.load(urllib.request.urlopen(request, timeout=20))
        return reply.get("result", {"refused": reply.get("error", {}).get("data", {}).get("code")})

    def show(name, value):
        print(name, json.dumps(value, sort_keys=True))

    ops = {}
    for frond in call("rpc.discover")["fronds"]:
        for d in frond["doors"]:
            for op in d["ops"]:
                for part in ("input", "output", "params", "query"):
                    rebuild(op.get(part, {}), f"{d['name']}.{op['name']}.{part}")
            ops |= {d["name"]: [op["name"] for op in d["ops"]]}
            if d["name"] == door:
                judge = rebuild(d["schema"], door)
    for query in ({}, {"limit": 2}, {"limit": 2, "page": 1}, {"limit": 3, "page": 2}, {"where": {"status": "open"}, "limit": 50},
                  {"orderBy": "title", "order": "desc", "page": 2, "limit": 2, "where": {"status": "done"}},
                  {"orderBy": "id", "page": "2", "limit": "2"}, {"where": {"colour": "red"}}):
        answer = call(door + ".list", query=query)
        for row in answer.get("items", []):
            judge(row)
        show("list", answer if "refused" in answer else [[row["id"] for row in answer["items"]], answer["total"], answer["hasMore"]])
    show("row", judge(call(door + ".findById", params={"id": id})))
    if "chore" in ops:
        both = call("chore.list", query={"filter": {"status": {"eq": "open"}, "ownerId": {"eq": "ann"}}})
        show("both", [row["id"] for row in both["items"]])
    if "postpone" in ops[door]:
        show("postponed", judge(call("task.postpone", params={"id": id}, body={"day": "Monday"})))
        show("unknown", call("task.postpone", params={"id": "none"}, body={"day": "Monday"}))


serve(answer) if len(sys.argv) < 2 else consume(*sys.argv[1:])
