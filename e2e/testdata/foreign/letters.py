#!/usr/bin/env python3
"""The Frond `letters` of another make: it answers lists with bare arrays, and names no
input of its own operations. Python 3 and its standard library."""
import sys

sys.dont_write_bytecode = True  # a test leaves no file
from host import serve

LETTER = {"title": "letter", "type": "object", "required": ["title"], "properties": {
    "id": {"type": "string", "x-kit": {"role": {"primary": True}, "lifecycle": {"create": {"generate": "serial"}}}},
    "title": {"type": "string"},
    "state": {"type": "string", "x-kit": {"lifecycle": {"create": {"value": "draft"}}}}}}
STAMP = {"title": "stamp", "type": "object", "required": [], "properties": {
    "id": {"type": "string", "x-kit": {"role": {"primary": True}}}, "cents": {"type": "integer"}}}
PAGING = {"title": "paging", "type": "object", "properties": {"limit": {"type": "integer", "maximum": 4}, "offset": {"type": "integer"}}}
AFTER = {"title": "behind", "type": "object", "properties": {"limit": {"type": "integer"}, "after": {"type": "string"}}}

letters = [{"id": f"l{n}", "title": f"Letter {n}", "state": "draft"} for n in range(1, 8)]
stamps = [{"id": f"s{n}", "cents": n * 10} for n in range(1, 8)]


class KitError(Exception):
    pass


def one(id):
    for letter in letters:
        if letter["id"] == id:
            return letter
    raise KitError("NOT_FOUND", "there is no letter with this id")


def letter_list(call):
    limit, offset = call["query"].get("limit"), call["query"].get("offset", 0)
    if limit is not None and limit > 4:
        raise KitError("VALIDATION_FAILED", "limit is at most 4")
    return letters[offset:][:limit]


def folder_list(call):
    if set(call["query"]) - {"limit"}:
        raise KitError("VALIDATION_FAILED", "a list takes limit")
    return [{"id": letter["id"], "cents": 1} for letter in letters][:call["query"].get("limit")]


def stamp_list(call):
    ids = [stamp["id"] for stamp in stamps]
    begin = ids.index(call["query"]["after"]) + 1 if "after" in call["query"] else 0
    page = stamps[begin:][:call["query"].get("limit", 50)]
    return {"items": page, "total": len(stamps), "hasMore": begin + len(page) < len(stamps), "endCursor": page[-1]["id"] if page else None}


def publish(call):
    letter = one(call["params"].get("id"))
    letter["state"] = "published " + (call["query"].get("at") or (call["body"] or {}).get("at") or "now")
    return letter


METHODS = {
    "letter.list": letter_list, "letter.findById": lambda call: one(call["params"]["id"]), "letter.publish": publish,
    "letter.searchText": lambda call: [x for x in letters if call["query"].get("text", "") in x["title"]],
    "folder.list": folder_list, "stamp.list": stamp_list,
}
DISCOVERY = {"x-kit-version": 1, "fronds": [{"name": "letters", "doors": [
    {"name": "letter", "schema": LETTER, "ops": [
        {"name": "list", "kind": "query", "input": PAGING}, {"name": "findById", "kind": "query", "output": LETTER},
        {"name": "publish", "kind": "command", "output": LETTER, "cardinality": "one"}, {"name": "searchText", "kind": "query"}]},
    {"name": "folder", "schema": {**STAMP, "title": "folder"}, "ops": [{"name": "list", "kind": "query"}]},
    {"name": "stamp", "schema": STAMP, "ops": [{"name": "list", "kind": "query", "input": AFTER}]}]}]}


def answer(frame):
    sent = frame.get("params") or {}
    call = {part: sent.get(part) or {} for part in ("params", "query")} | {"body": sent.get("body")}
    method = {"rpc.discover": lambda _: DISCOVERY, **METHODS}.get(frame["method"])
    reply = {"jsonrpc": "2.0", "id": frame["id"]}
    try:
        return reply | ({"result": method(call)} if method else {"error": {"code": -32601, "message": "no such method"}})
    except KitError as e:
        entity, _, operation = frame["method"].partition(".")
        data = {"code": e.args[0], "message": e.args[1], "entity": entity, "operation": operation}
        return reply | {"error": {"code": -32000, "message": e.args[1], "data": data}}


serve(answer)
