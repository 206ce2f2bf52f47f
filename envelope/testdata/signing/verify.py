"""Verifies signed calls (docs/signed-calls.md) with nothing but Python's standard
library, and holds itself against the vectors beside it:

    python3 verify.py        # "9 accepted, 22 refused", or what is wrong

verify() is what a Frond in Python needs. Ed25519 below is RFC 8032, slow (some
milliseconds a call) and good for vectors; in production take a library for it.
"""

import base64
import hashlib
import json
import os
import re
import sys
from decimal import Decimal


class Refused(Exception):
    pass


# Canonical JSON.

def strict(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("a name stands twice in one object")
    return members


def read(text):
    return json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=strict)


def no_constant(name):
    raise Refused(name + " is no JSON")


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def text_of(s):
    s.encode("utf-8")  # fails on half a character
    return '"' + re.sub(r'["\\\x00-\x1f]', lambda m: ESCAPES.get(m[0]) or "\\u%04x" % ord(m[0]), s) + '"'


def number_of(n):
    if n == 0:
        return "0"
    if abs(n) < 10**21 and n == n.to_integral_value():
        return str(int(n))
    f = float(n)
    if f in (float("inf"), float("-inf")):
        raise Refused("a number is larger than a double holds")
    if f == 0:
        return "0"
    sign, digits, power = Decimal(repr(f)).normalize().as_tuple()  # repr has the shortest digits
    digits = "".join(map(str, digits))
    point = len(digits) + power  # where it stands, counted from the first digit
    if 0 < point <= 21:
        s = digits.ljust(point, "0")
        s = s[:point] + ("." + s[point:] if s[point:] else "")
    elif -6 < point <= 0:
        s = "0." + "0" * -point + digits
    else:
        s = digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+d" % (point - 1)
    return "-" * sign + s


def canonical(v):
    if v is None or isinstance(v, bool):
        return {None: "null", True: "true", False: "false"}[v]
    if isinstance(v, Decimal):
        return number_of(v)
    if isinstance(v, str):
        return text_of(v)
    if isinstance(v, list):
        return "[" + ",".join(map(canonical, v)) + "]"
    names = sorted(v, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(text_of(name) + ":" + canonical(v[name]) for name in names) + "}"


# A post.

def unb64(part):
    if not re.fullmatch(r"[A-Za-z0-9_-]+", part):
        raise Refused("a part is not base64url")
    raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if b64(raw) != part:
        raise Refused("a part is not base64url")
    return raw


def b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def params_of(frame):
    params = frame.get("params") if isinstance(frame, dict) else None
    return params if isinstance(params, dict) else {}


def verify(text, frond, keys, now, seen, skew=30, started=0):
    """The sender's name and the signed state of a post, or Refused. keys are public
    keys (32 bytes) by their kid; seen is a dict that is kept between calls."""
    try:
        return _verify(text, frond, keys, now, seen, skew, started)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as e:
        raise Refused("it cannot be read") from e


def _verify(text, frond, keys, now, seen, skew, started):
    post = read(text)
    frames = post if isinstance(post, list) else [post]
    token = params_of(frames[0]).pop("identity")  # KeyError: it is not signed
    for frame in frames:
        if "identity" in params_of(frame):
            raise Refused("the token stands in another frame than the first")
        params_of(frame).pop("state", None)
    signed, claims, signature = token.split(".")
    header = read(unb64(signed))
    if set(header) != {"alg", "kid", "typ"} or header["alg"] != "EdDSA" or header["typ"] != "kit-call+jwt":
        raise Refused("the header is another")
    if not ed25519_verify(keys[header["kid"]], (signed + "." + claims).encode(), unb64(signature)):
        raise Refused("the signature does not hold")
    claims = read(unb64(claims))
    for name, kind in {"iss": str, "aud": str, "jti": str, "call": str, "iat": Decimal, "exp": Decimal, "state": dict}.items():
        if not isinstance(claims[name], kind) or claims[name] == "":
            raise Refused("the claim %s is of another kind" % name)
    if claims["aud"] != frond:
        raise Refused("it is for another Frond")
    iat, exp = int(claims["iat"]), int(claims["exp"])
    if iat != claims["iat"] or exp != claims["exp"] or not iat < exp <= iat + 60:
        raise Refused("exp is not within 60 seconds after iat")
    if iat > now + skew or exp + skew <= now or iat < started:
        raise Refused("it is not of now")
    if b64(hashlib.sha256(canonical(post).encode()).digest()) != claims["call"]:
        raise Refused("the call is another than was signed")
    for used in [used for used, until in seen.items() if until <= now]:
        del seen[used]
    if (header["kid"], claims["jti"]) in seen:
        raise Refused("it has been used")
    seen[header["kid"], claims["jti"]] = exp + skew
    return claims["iss"], claims["state"]


# Ed25519 (RFC 8032, section 5.1), points in extended coordinates.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    e, f = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    g, h = 2 * t1 * t2 * D, 2 * z1 * z2
    p, q, r, s = f - e, h - g, h + g, f + e
    return p * q % P, r * s % P, q * r % P, p * s % P


def times(n, a):
    sum_ = (0, 1, 1, 0)
    while n:
        if n & 1:
            sum_ = add(sum_, a)
        a, n = add(a, a), n >> 1
    return sum_


def point(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        raise Refused("no point")
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    if x * x % P != square or x == 0 and sign:
        raise Refused("no point")
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def ed25519_verify(key, message, signature):
    if len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= L:
        return False
    a, r = point(key), point(signature[:32])
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(k, a))
    return left[0] * right[2] % P == right[0] * left[2] % P and left[1] * right[2] % P == right[1] * left[2] % P


def main():
    here = os.path.dirname(os.path.abspath(__file__))

    def load(name):
        with open(os.path.join(here, name), encoding="utf-8") as f:
            return json.load(f)

    public = load("key.json")["public"]
    keys = {public["kid"]: unb64(public["x"])}
    wrong = []
    accepted, refused = load("accepted.json"), load("refused.json")
    for v in accepted:
        post = read(v["signed"])
        for frame in post if isinstance(post, list) else [post]:
            for name in ("identity", "state"):
                params_of(frame).pop(name, None)
        if canonical(post) != v["canonical"]:
            wrong.append("%s: the canonical text is %s" % (v["about"], canonical(post)))
        seen = {}
        try:
            sender, state = verify(v["signed"], v["frond"], keys, v["now"], seen)
            if sender != v["sender"] or canonical(state) != canonical(read(v["state"])):
                wrong.append("%s: it says %s, %s" % (v["about"], sender, state))
        except Refused as e:
            wrong.append("%s: refused: %s (%r)" % (v["about"], e, e.__cause__))
        try:
            verify(v["signed"], v["frond"], keys, v["now"], seen)
            wrong.append(v["about"] + ": a replay is taken")
        except Refused:
            pass
    for v in refused:
        try:
            verify(v["signed"], v["frond"], keys, v["now"], {})
            wrong.append(v["about"] + ": it is taken")
        except Refused:
            pass
    print("\n".join(wrong) or "%d accepted, %d refused" % (len(accepted), len(refused)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
