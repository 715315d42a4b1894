"""An archive in the manner of NASA's, of any number of items, that says when the last byte of every answer has left.

What is searched for decides: `nothing` finds nothing, everything else finds all of it.
"""

import contextlib
import http.server
import json
import socket
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PROJECT = Path(__file__).parent.parent
PICTURE = PROJECT / "Samples/archive/images/bmng-southeast-asia/bmng-southeast-asia~thumb.jpg"
HOST = "127.0.0.1"
ITEMS = 20
PAGE = 100


def title(number):
    """What an item is called."""
    return f"Southeast Asia, part {number}"


def name_of(number):
    """The identifier of an item."""
    return f"ASIA-{number:03}"


def item(base, number):
    """One item of a search's answer."""
    name = name_of(number)
    data = {"nasa_id": name, "title": title(number), "media_type": "image", "center": "GSFC",
            "date_created": "2004-02-01T00:00:00Z", "description": "As satellites have seen it."}  # fmt: skip
    link = {"href": f"{base}/image/{name}~thumb.jpg", "rel": "preview", "render": "image"}
    return {"data": [data], "links": [link]}


class Archive(http.server.ThreadingHTTPServer):
    """Pages of items with pictures, each of which is answered after so many seconds."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, items=ITEMS, port=0, picture_seconds=0.0):
        """Listens where it is told, or the kernel says."""
        super().__init__((HOST, port), Handler)
        self.base = f"http://{HOST}:{self.server_port}"
        self.items, self.picture_seconds = items, picture_seconds
        self.left = {}
        self.connections = set()
        self.picture = PICTURE.read_bytes()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def page(self, number, count):
        """One page of a search that finds so many items."""
        items = [item(self.base, index) for index in range((number - 1) * PAGE, min(number * PAGE, count))]
        more = number * PAGE < count
        links = [{"rel": "next", "href": f"{self.base}/search?page={number + 1}"}] if more else []
        collection = {"version": "1.0", "items": items, "metadata": {"total_hits": count}, "links": links}
        return json.dumps({"collection": collection}).encode()

    def process_request(self, request, address):
        """Keeps the connection, to break it off at the end."""
        self.connections.add(request)
        super().process_request(request, address)

    def handle_error(self, *_):
        """A client that has left is none."""

    def stop(self):
        """Ends at once, with every connection."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.thread.join()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        """Answers, and notes when."""
        address = urlsplit(self.path)
        if address.path == "/search":
            query = {name: values[-1] for name, values in parse_qs(address.query).items()}
            count = 0 if query.get("q") == "nothing" else self.server.items
            self.answer("search", "application/json", self.server.page(int(query.get("page", 1)), count))
        elif address.path.startswith("/image/"):
            time.sleep(self.server.picture_seconds)
            self.answer(address.path.removeprefix("/image/").partition("~")[0], "image/jpeg", self.server.picture)
        else:
            self.answer(address.path, "application/json", b"{}", 404)

    def answer(self, what, kind, body, status=200):
        """One whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.server.left.setdefault(what, time.perf_counter())

    def handle_one_request(self):
        """One request; a client may leave at any time."""
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        """Nothing."""


@contextlib.contextmanager
def serving(**options):
    """The archive while it runs."""
    archive = Archive(**options)
    try:
        yield archive
    finally:
        archive.stop()
