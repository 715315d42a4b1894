#!/usr/bin/env python3
"""Serves this folder as NASA's image API and its pictures, on the loopback interface: python3 serve.py [PORT]

    python3 Fixtures/nasa/serve.py 8080 &
    spyglass list mars --endpoint http://127.0.0.1:8080

Port 0 takes a free one. The first line of output is the address. Searches that this folder does not hold find nothing;
`q=invalid` is answered with the error of invalid/reason.json, `q=html` with a proxy's page.
"""
import http.server
import json
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).parent


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        parts = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        page = query.get("page", "1")
        match parts:
            case ["search"]:
                word = query.get("q", "mars")
                if word == "invalid":
                    self.send(400, "invalid/reason.json")
                elif word == "html":
                    self.send(502, "invalid/page.html", "text/html")
                else:
                    self.send(200, f"search/{word}-{page}.json", otherwise="search/empty-1.json")
            case ["album", name]:
                self.send(200, f"album/{name}-{page}.json", missing=f'No assets found for album="{name}" page={page}')
            case ["asset", identifier]:
                self.send(200, f"asset/{identifier}.json", missing=f"Could not find Asset with assetid={identifier}")
            case ["image" | "video", _, name]:
                self.send(200, f"images/{name}", "image/jpeg")
            case _:
                self.send(200, "nothing")

    def send(self, status, name, kind="application/json; charset=UTF-8", otherwise=None, missing="Not found"):
        file = HERE / name
        if not (file.resolve().is_relative_to(HERE.resolve()) and file.is_file()):
            file = HERE / otherwise if otherwise else None
        if file:
            body = file.read_bytes()
            if kind.startswith("application/json"):
                body = body.replace(b"{{base}}", f"http://{self.headers.get('Host', '127.0.0.1')}".encode())
        else:
            status, body = 404, json.dumps({"reason": missing}).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
