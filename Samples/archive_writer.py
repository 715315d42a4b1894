"""Writes an archive that `spyglass --archive` reads: bodies as files, and a line for each in index.jsonl."""

import json
import shutil


class Archive:
    """An archive in a folder."""

    def __init__(self, folder):
        """Starts an empty archive in place of an older one; its README.md stays."""
        self.folder = folder
        for part in folder.glob("*/"):
            shutil.rmtree(part)
        self.lines = []

    def path(self, body):
        """Where a body lives; its folder is made."""
        path = self.folder / body
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def record(self, url, body, content_type, status=200):
        """One line of the index."""
        headers = {"content-type": content_type}
        line = {"url": url, "status": status, "headers": headers, "body": body}
        self.lines.append(json.dumps(line, ensure_ascii=False))

    def add_json(self, url, body, value, status=200):
        """A response of the API."""
        self.path(body).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        self.record(url, body, "application/json; charset=UTF-8", status)

    def add_picture(self, url, body, picture, quality):
        """A JPEG file; returns its size in bytes."""
        path = self.path(body)
        picture.save(path, "JPEG", quality=quality, subsampling="4:2:0", optimize=True, progressive=False)
        self.record(url, body, "image/jpeg")
        return path.stat().st_size

    def save(self):
        """Writes the index."""
        (self.folder / "index.jsonl").write_text("\n".join(self.lines) + "\n", encoding="utf-8")
