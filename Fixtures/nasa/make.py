#!/usr/bin/env python3
"""Makes the answers and pictures of this folder: python3 make.py (needs Pillow for the pictures).

Everything here is made up: ids, words and pictures. Only the shape of the answers is NASA's. The same seed gives the
same answers; pictures may differ by a few bytes with another Pillow.
"""
import json
import math
import pathlib
import random
import shutil

HERE = pathlib.Path(__file__).parent
SEED = 20250719
BASE = "{{base}}"
pictures = {}


def links_1_0(kind, identifier, captions=None, preview=True):
    found = []
    if captions:
        found.append({"href": f"{BASE}/{kind}/{identifier}/{identifier}.{captions}", "rel": "captions"})
    if preview:
        found.append({"href": f"{BASE}/{kind}/{identifier}/{identifier}~thumb.jpg", "rel": "preview", "render": "image"})
    return found


def links_1_1(identifier, size, names="medium small thumb large orig", original="jpg"):
    """Version 1.1: one link a rendition, the preview not first, and the order of the members not stable."""
    longest = {"medium": 1280, "small": 640, "thumb": 640, "large": 1920, "orig": 4000}
    bytes_of = {"medium": 190_000, "small": 66_000, "thumb": 66_000, "large": 350_000, "orig": 1_480_000}
    found = []
    for place, name in enumerate(names.split()):
        scale = longest[name] / max(size)
        rel = {"thumb": "preview", "orig": "canonical"}.get(name, "alternate")
        suffix = original if name == "orig" else "jpg"
        link = {"href": f"{BASE}/image/{identifier}/{identifier}~{name}.{suffix}", "rel": rel, "render": "image"}
        numbers = {"width": round(size[0] * scale), "size": bytes_of[name], "height": round(size[1] * scale)}
        if place % 2:
            link = {**numbers, **link}
        else:
            link = {**link, **numbers}
        found.append(link)
    return found


def item(identifier, title, date, links, kind="image", center="JPL", picture=None, **fields):
    data = {"nasa_id": identifier, "title": title, "media_type": kind, "center": center, "date_created": date}
    data.update(fields)
    data = {name: value for name, value in data.items() if value != "missing"}
    if picture:
        pictures[identifier] = picture
    whole = {"href": f"{BASE}/{kind}/{identifier}/collection.json", "data": [data]}
    if links is not None:
        whole["links"] = links
    return whole


def page(items, query, number, total, version, following=False, previous=False):
    address = f"{BASE}/search?q={query}&media_type=image&page_size=100&page="
    collection = {"version": version, "href": f"{address}{number}", "items": items, "metadata": {"total_hits": total}}
    # The links name a host that no client may follow: they only say that there is a page.
    elsewhere = f"http://elsewhere.invalid/search?q={query}&page="
    links = []
    if previous:
        links.append({"rel": "prev", "prompt": "Previous", "href": f"{elsewhere}{number - 1}"})
    if following:
        links.append({"rel": "next", "prompt": "Next", "href": f"{elsewhere}{number + 1}"})
    if links:
        collection["links"] = links
    return {"collection": collection}


def mars():
    wide, tall, square, broad = (480, 320), (320, 440), (360, 360), (560, 240)
    plain = [
        ("SG-MARS-001", "Ripples in the Lee of a Crater Wall", "2014-03-02T00:00:00Z", wide),
        ("SG-MARS-002", "Evening Over the Northern Plain", "2016-11-19T18:22:05Z", broad),
        ("SG-MARS-003", "A Leaning Stack of Mudstone", "2019-06-30T00:00:00Z", tall),
        ("SG-MARS-004", "Frost in the Shadow of a Boulder", "2008-08-14T00:00:00Z", square),
        ("SG-MARS-005", "Wheel Tracks on a Sand Sheet", "2012-12-24T07:40:00Z", wide),
        ("SG-MARS-006", "The Far Rim Through Dust", "2021-02-27T00:00:00Z", broad),
    ]
    first = [
        item(
            identifier, title, date, links_1_1(identifier, size), picture=("desert", size),
            description=f"{title}, seen by a camera on a mast. A picture made for tests.",
            secondary_creator="NASA/JPL-Caltech/Spyglass", keywords=["Mars", "Test picture"])
        for identifier, title, date, size in plain
    ]
    first += [
        # A small source: no large, no medium; the original is a TIFF; sizes are strings or missing.
        item(
            "SG MARS 007", "  Pebbles, Close Up ", "2004-01-31T00:00:00Z",
            [
                {"href": f"{BASE}/image/SG MARS 007/SG MARS 007~orig.tif", "rel": "canonical", "render": "image", "size": 0},
                {"rel": "preview", "width": "480", "height": "320", "render": "image",
                 "href": f"{BASE}/image/SG MARS 007/SG MARS 007~thumb.jpg"},
            ],
            picture=("desert", wide), photographer="Rover team", description=None, description_508="Pebbles &amp; sand",
            keywords="Mars"),
        item(
            "SG-MARS-008", "<b>Layers</b> &amp; Veins", "2018-05-05", links_1_1("SG-MARS-008", tall),
            picture=("desert", tall),
            description="<p>White veins cut <i>through</i> layers.</p><p>See <a href=\"https://example.com/a?b=c&d=e\""
            " target='_blank'>the &ldquo;whole&rdquo; view</a>.<br/>Scale bar: 5&nbsp;cm &#8212; roughly &#x2248; a thumb.</p>",
            photographer=None, secondary_creator=None, location="Gale&#39;s neighbour",
            keywords=["Mars", None, 7, "Washington, DC", ""], album=["Spyglass_Own", "Red"]),
        # The preview stands between captions and a film, which are no pictures whatever their relation says.
        item(
            "SG-MARS-009", "A Dust Devil Crosses the Ridge", "2020-09-01T00:00:00Z",
            links_1_0("video", "SG-MARS-009", captions="srt")
            + [{"href": f"{BASE}/video/SG-MARS-009/SG-MARS-009~preview.mp4", "rel": "preview", "render": "video"}],
            kind="video", picture=("desert", wide), description="Twelve frames of a whirl of dust."),
        item(
            "SG-MARS-010", "SG-MARS-010", "2011-07-07T00:00:00Z", links_1_1("SG-MARS-010", square, "thumb small"),
            picture=("desert", square), center="missing", keywords="missing"),
    ]
    second = [
        # Results moved while somebody paged: two photos of page 1 again.
        first[8], first[9],
        item(
            "SG-MARS-011", "Two Moons Before Sunrise", "2022-10-11T03:15:00Z", links_1_1("SG-MARS-011", broad),
            picture=("desert", broad), photographer="Ada Quill", secondary_creator="NASA/JPL-Caltech"),
        item(
            "SG-MARS-012", "No Date, No Maker", "missing", links_1_1("SG-MARS-012", wide), picture=("desert", wide),
            center="missing"),
        item("SG-MARS-013", "A Picture That Went Missing", "2001-01-01T00:00:00Z", None),
        item(
            "SG-MARS-014", "Sounds of Wind", "2021-02-20T00:00:00Z", None, kind="audio",
            description="Sixteen seconds of a microphone in thin air."),
    ]
    return (
        page(first, "mars", 1, 14, "1.1", following=True),
        page(second, "mars", 2, 14, "1.1", previous=True),
    )


def jupiter():
    wide, square = (480, 320), (360, 360)
    nbsp = "\u00a0"
    dash = "SG-Jupiter \u2013 S\u00fcd"
    quote = "SG's Jupiter, No. 3 + @2"
    items = [
        item(
            "SG-JUP-01", "Bands at Opposition", "1999-03-13T14:54:19Z", links_1_0("image", "SG-JUP-01"),
            picture=("planet", square), description="Bands and zones, drawn by a script.", keywords=["Jupiter"],
            photographer="Bill of the Night Shift", location="Low orbit", album="Giants"),
        item(
            dash, "Der S\u00fcdpol im Streiflicht", "2017-05-25T00:00:00Z", links_1_0("image", dash),
            picture=("planet", wide), secondary_creator="NASA/JPL-Caltech/SwRI", photographer=None),
        item(
            quote, "A Storm the Size of a World", "2007-04-02T23:50:01Z", links_1_0("image", quote),
            picture=("planet", square), secondary_creator="NASA/Laboratory   of Names", center="jpl"),
        item(
            "SG-JUP-04", None, "1979-03-04T00:00:00Z", links_1_0("image", "SG-JUP-04"),
            picture=("planet", wide), photographer=["First Maker", "Second Maker"], keywords=[]),
        item("SG-JUP-05", "Only Subtitles", "2016-07-05T00:00:00Z", links_1_0("video", "SG-JUP-05", "vtt", False),
             kind="video"),
        item("SG-JUP-06", "Subtitles First", "2016-07-06T00:00:00Z", links_1_0("video", "SG-JUP-06", "srt"),
             kind="video", picture=("planet", wide)),
        item("SG-JUP-07", "Radio Noise", "1995-12-07T00:00:00Z", None, kind="audio", center="GSFC"),
        item(
            "SG-JUP-08", "An \u001b[31mUnfriendly\u001b[0m Title\u007f \u202eback", "around 1973, perhaps",
            links_1_0("image", "SG-JUP-08"), picture=("planet", square), description="A bell: \u0007" + nbsp),
        item(1973, "An Id That Is a Number", 1973, links_1_0("image", "1973"), center=["JPL", "ARC"],
             picture=("planet", square)),
        {"href": f"{BASE}/image/none/collection.json", "data": [{"title": "No Id"}], "links": []},
        {"href": f"{BASE}/image/none/collection.json", "data": []},
        item("SG-JUP-01", "The Same Id Again", "1999-03-13T14:54:19Z", links_1_0("image", "SG-JUP-01")),
    ]
    return page(items, "jupiter", 1, 12, "1.0")


def files(kind, identifier, names):
    entries = [{"href": f"{BASE}/{kind}/{identifier}/{identifier}{name}"} for name in names.split()]
    entries.append({"href": f"{BASE}/{kind}/{identifier}/metadata.json"})
    return {"collection": {"version": "1.0", "href": f"{BASE}/asset/{identifier}", "items": entries}}


def write(name, value):
    target = HERE / name
    target.parent.mkdir(exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    target.write_text(text, encoding="utf-8")


def sky(draw, size, top, bottom):
    for row in range(size[1]):
        share = row / size[1]
        draw.line([(0, row), (size[0], row)], fill=tuple(round(a + (b - a) * share) for a, b in zip(top, bottom)))


def desert(draw, size, dice):
    """Hills behind hills under a butterscotch sky."""
    width, height = size
    dusk = dice.random()
    sky(draw, size, (120 - 70 * dusk, 84 - 30 * dusk, 70), (236 - 60 * dusk, 190 - 60 * dusk, 140))
    sun = (dice.uniform(0.15, 0.85) * width, dice.uniform(0.15, 0.4) * height)
    for radius in range(round(0.09 * height), 0, -1):
        glow = 1 - radius / (0.09 * height)
        draw.ellipse([sun[0] - radius, sun[1] - radius, sun[0] + radius, sun[1] + radius],
                     fill=(255, round(205 + 45 * glow), round(160 + 80 * glow)))
    for layer in range(6):
        share = layer / 5
        base = height * (0.45 + 0.1 * layer)
        waves = [(dice.uniform(1, 4 + 2 * layer), dice.uniform(0, 6.28), dice.uniform(0.015, 0.05)) for _ in range(3)]
        line = [
            (x, base + height * sum(size_ * math.sin(rate * x / width * 6.28 + phase) for rate, phase, size_ in waves))
            for x in range(0, width + 4, 4)
        ]
        colour = tuple(round(c * (0.95 - 0.6 * share)) for c in (214 - 50 * dusk, 128 - 30 * dusk, 84))
        draw.polygon(line + [(width, height), (0, height)], fill=colour)


def planet(draw, size, dice):
    """A banded disc with a terminator, before stars."""
    width, height = size
    draw.rectangle([0, 0, width, height], fill=(4, 5, 10))
    for _ in range(90):
        x, y, light = dice.random() * width, dice.random() * height, dice.randint(60, 255)
        draw.ellipse([x - 1, y - 1, x + 1, y + 1], fill=(light, light, round(light * 0.9)))
    radius = min(width, height) * dice.uniform(0.34, 0.45)
    centre = (width * dice.uniform(0.4, 0.6), height * dice.uniform(0.46, 0.54))
    shades = [(222, 198, 164), (176, 120, 82), (236, 222, 200), (150, 96, 70), (206, 172, 130)]
    dice.shuffle(shades)
    lean = dice.uniform(-0.5, 0.5)
    for row in range(-int(radius), int(radius) + 1):
        half = math.sqrt(max(0, radius * radius - row * row))
        place = (row / radius + 1) * 4.3
        below, share = int(place), place - int(place)
        share = share * share * (3 - 2 * share)
        band = [a + (b - a) * share for a, b in zip(shades[below % 5], shades[(below + 1) % 5])]
        step = 2
        x = -half
        while x < half:
            depth = math.sqrt(max(0, radius * radius - row * row - x * x)) / radius
            light = max(0.03, 0.75 * depth + lean * x / radius + 0.15)
            draw.rectangle([centre[0] + x, centre[1] + row, centre[0] + min(x + step, half), centre[1] + row],
                           fill=tuple(min(255, round(c * light)) for c in band))
            x += step


def paint():
    from PIL import Image, ImageDraw, ImageFilter

    folder = HERE / "images"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for identifier, (scene, size) in pictures.items():
        dice = random.Random(f"{SEED} {identifier}")
        large = Image.new("RGB", (size[0] * 2, size[1] * 2))
        {"desert": desert, "planet": planet}[scene](ImageDraw.Draw(large), large.size, dice)
        small = large.filter(ImageFilter.GaussianBlur(0.8)).resize(size, Image.Resampling.LANCZOS)
        small.save(folder / f"{identifier}~thumb.jpg", quality=72, optimize=True)


def main():
    first, second = mars()
    write("search/mars-1.json", first)
    write("search/mars-2.json", second)
    write("search/jupiter-1.json", jupiter())
    write("search/empty-1.json", page([], "empty", 1, 0, "1.0"))
    write("invalid/reason.json", {"reason": "Invalid value year_start=\"0\"."})
    write("invalid/shape.json", {"collection": {"version": "1.0", "items": {"0": "not a list"}}})
    write("invalid/object.json", "{}\n")
    write("invalid/cut.json", json.dumps(first)[:1500])
    write("invalid/page.html", "<!doctype html>\n<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n")
    write("asset/SG-MARS-001.json", files("image", "SG-MARS-001", "~orig.jpg ~large.jpg ~medium.jpg ~small.jpg ~thumb.jpg"))
    write("asset/SG-MARS-013.json", files("image", "SG-MARS-013", "~orig.tif ~thumb.jpg ~small.jpg ~thumb.jpg"))
    write("asset/SG-JUP-05.json", files("video", "SG-JUP-05", "~orig.mp4 ~large_1.jpg ~thumb_1.jpg ~thumb_2.jpg .srt .vtt"))
    write("album/Spyglass_Own-1.json", page(first["collection"]["items"][7:9], "album", 1, 2, "1.0"))
    pictures["SG-MARS-013"] = ("desert", (480, 320))
    paint()


if __name__ == "__main__":
    main()
