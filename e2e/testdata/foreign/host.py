"""Serves a host of another make: answer returns the reply to one frame of JSON-RPC."""
import json, signal, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(answer):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            try:
                frames = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps([answer(f) for f in frames] if isinstance(frames, list) else answer(frames)).encode()
            except json.JSONDecodeError:
                body = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "this is not JSON"}}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        log_message = lambda *_: None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"listening on http://127.0.0.1:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()
