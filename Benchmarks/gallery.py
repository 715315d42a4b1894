"""A photo archive in the manner of NASA's, served by nginx on loopback: search pages and previews, made by script."""

import contextlib
import json
import os
import random
import socket
import subprocess
import time

import inputs

FOLDER = inputs.WORK / "gallery"
#: NASA's previews are 640 px wide and have about 40 KB.
SIZE = (640, 427)
PICTURES = 200
ITEMS = 2_000
PAGE = 100
#: What NASA's servers say of their answers.
CACHE_CONTROL = "public, max-age=300"
HOST = "127.0.0.1"


def free_port():
    """A port that the kernel has chosen and that is free again."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


def make_pictures():
    """Crops of NASA's Blue Marble, seeded, at a quality that gives about 40 KB."""
    folder = FOLDER / "pictures"
    if folder.exists():
        return folder
    whole, place = inputs.blue_marble(), random.Random(3)
    unfinished = folder.with_name("pictures-unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    for number in range(PICTURES):
        x, y = place.randrange(whole.width - SIZE[0]), place.randrange(whole.height - SIZE[1])
        part = whole.crop((x, y, x + SIZE[0], y + SIZE[1]))
        for quality in (92, 85, 75, 60):
            part.save(unfinished / f"{number}.jpg", quality=quality, subsampling="4:2:0")
            if (unfinished / f"{number}.jpg").stat().st_size <= 60_000:
                break
    unfinished.rename(folder)
    return folder


def make_pages(base, items):
    """The pages of a search, as NASA's API answers; addresses lead to `base`."""
    folder = FOLDER / "search"
    folder.mkdir(parents=True, exist_ok=True)
    for page in range(1, items // PAGE + 1):
        photos = [photo(base, number) for number in range((page - 1) * PAGE, page * PAGE)]
        links = [{"rel": "next", "href": f"{base}search?page={page + 1}"}] if page * PAGE < items else []
        answer = {"version": "1.0", "items": photos, "metadata": {"total_hits": items}, "links": links}
        (folder / f"{page}.json").write_text(json.dumps({"collection": answer}))


def photo(base, number):
    """One item of a page."""
    name = f"EARTH-{number:04}"
    data = {"nasa_id": name, "title": f"The Earth, part {number}", "media_type": "image", "center": "GSFC",
            "date_created": "2004-02-01T00:00:00Z", "photographer": "Blue Marble",
            "description": f"A part of the Earth, number {number}, as satellites have seen it. " * 4}  # fmt: skip
    return {"data": [data], "links": [{"href": f"{base}image/{name}~thumb.jpg", "rel": "preview", "render": "image"}]}


def configuration(port, pictures):
    """nginx in one process: previews by number, searches by page, and the header fields that NASA sends."""
    return f"""
        daemon off; master_process off; worker_processes 1; pid {FOLDER}/nginx.pid; error_log {FOLDER}/error.log;
        events {{ worker_connections 512; }}
        http {{
          access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
          types {{ image/jpeg jpg; application/json json; }}
          client_body_temp_path {FOLDER}/t1; proxy_temp_path {FOLDER}/t2; fastcgi_temp_path {FOLDER}/t3;
          uwsgi_temp_path {FOLDER}/t4; scgi_temp_path {FOLDER}/t5;
          map $arg_page $page {{ default $arg_page; "" 1; }}
          server {{
            listen {HOST}:{port}; root {FOLDER}; add_header Cache-Control "{CACHE_CONTROL}";
            location = /search {{ try_files /search/$page.json =404; default_type application/json; }}
            location ~ "^/image/EARTH-(?<hundreds>[0-9]{{2}})(?<rest>[0-9]{{2}})~thumb.jpg$" {{
              alias {pictures}/by-number/$hundreds$rest.jpg;
            }}
          }}
        }}
        """


def link_numbers(pictures):
    """A name for every item, so that each has an address of its own."""
    folder = pictures / "by-number"
    if folder.exists():
        return
    folder.mkdir()
    for number in range(ITEMS):
        os.link(pictures / f"{number % PICTURES}.jpg", folder / f"{number:04}.jpg")


@contextlib.contextmanager
def served(items=ITEMS, public_port=None):
    """The port of nginx while it runs; addresses in answers name `public_port`, which stands for a link before it."""
    pictures = make_pictures()
    link_numbers(pictures)
    port = free_port()
    make_pages(f"http://{HOST}:{public_port or port}/", items)
    (FOLDER / "nginx.conf").write_text(configuration(port, pictures))
    server = subprocess.Popen(["nginx", "-c", str(FOLDER / "nginx.conf"), "-p", str(FOLDER)])
    try:
        wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def wait_for(port):
    """Returns when the server accepts connections."""
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"compare: nothing listens on port {port}; see {FOLDER}/error.log")


def preview_bytes(count):
    """Bytes of the first previews together."""
    pictures = make_pictures()
    return sum((pictures / f"{number % PICTURES}.jpg").stat().st_size for number in range(count))


if __name__ == "__main__":
    with served() as at:
        print(f"http://{HOST}:{at}/", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(1e9)
