"""Makes Samples/archives: one small archive for each source, which works without key and network.

    make-source-archives.py     writes all of them, the same bytes every time

The pictures are drawn by painter.py; make-source-archives.json has their scenes and words. The responses have the shape of
each API, and its quirks: missing fields, HTML, repeated items, pictures that are gone, pages that end in each API's own way.
"""

import hashlib
import html
import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlencode

from archive_writer import Archive
from painter import moving, painted

SAMPLES = Path(__file__).parent
FULL_SIDE, PREVIEW_SIDE, GIF_SIDE = 384, 220, 168  # longest sides
GIF_FRAMES, GIF_DELAY = 10, 100  # milliseconds
QUALITY = 70
LICENSES = {
    "by": ("CC BY", "4.0", "by"), "by-sa": ("CC BY-SA", "4.0", "by-sa"), "by-nc": ("CC BY-NC", "2.0", "by-nc"),
    "by-nd": ("CC BY-ND", "2.0", "by-nd"), "by-nc-sa": ("CC BY-NC-SA", "3.0", "by-nc-sa"),
    "by-nc-nd": ("CC BY-NC-ND", "2.5", "by-nc-nd"),
}  # fmt: skip


def digest(*words):
    """A name as services give them: 32 hexadecimal digits."""
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]


def license_url(name):
    """The text of a licence."""
    path = {"cc0": "publicdomain/zero/1.0", "pdm": "publicdomain/mark/1.0"}.get(name)
    return f"https://creativecommons.org/{path or f'licenses/{name}/{LICENSES[name][1]}'}/"


class Pictures:
    """The files of one archive."""

    def __init__(self, archive):
        """No files yet."""
        self.archive = archive
        self.sizes = {}

    def still(self, url, scene, side):
        """A JPEG file at an address; returns its width, height and bytes."""
        body = f"images/{scene['id']}-{side}.jpg"
        if body in self.sizes:
            self.archive.record(url, body, "image/jpeg")
        else:
            picture = painted(scene, side)
            self.sizes[body] = (*picture.size, self.archive.add_picture(url, body, picture, QUALITY))
        return self.sizes[body]

    def gif(self, url, scene):
        """A GIF that moves; returns its width and height."""
        body = f"images/{scene['id']}.gif"
        frames = moving(scene, GIF_SIDE, GIF_FRAMES)
        frames[0].save(
            self.archive.path(body), save_all=True, append_images=frames[1:], duration=GIF_DELAY, loop=0, optimize=False)
        self.archive.record(url, body, "image/gif")
        return frames[0].size

    def gone(self, url):
        """A picture that its service no longer has."""
        self.archive.path("gone.html").write_text("<html><title>404</title>Not found</html>\n", encoding="utf-8")
        self.archive.record(url, "gone.html", "text/html", 404)


# Tumblr


TUMBLR = "https://api.tumblr.com/v2"
TUMBLR_TIME = 1_700_000_000


class Blog:
    """The posts of the blog `blog`, and of tags."""

    def __init__(self, pictures):
        """No posts yet."""
        self.pictures = pictures
        self.count = 0

    def post(self, title, tags, **content):
        """What all posts have."""
        self.count += 1
        identifier = 719_031_111_000_000_000 + self.count * 1_000_003
        posted = TUMBLR_TIME - self.count * 86_400
        return {
            "id": identifier, "id_string": str(identifier), "blog_name": "blog", "timestamp": posted,
            "date": f"{datetime.fromtimestamp(posted, UTC):%Y-%m-%d %H:%M:%S} GMT",
            "post_url": f"https://blog.tumblr.com/post/{identifier}", "summary": title, "tags": tags, "note_count": 7,
        } | content  # fmt: skip

    def url(self, scene, side, suffix):
        """Each size has a hash of its own."""
        return f"https://64.media.tumblr.com/{digest(scene['id'])}/s{side}x{side}/{digest(scene['id'], str(side))}.{suffix}"

    def media(self, scene):
        """The sizes of a picture, largest first; a GIF has one, with a still as its poster."""
        key = f"{digest(scene['id'])}:{digest('key', scene['id'])[:16]}"
        if scene.get("moves"):
            url = self.url(scene, GIF_SIDE, "gif")
            width, height = self.pictures.gif(url, scene)
            poster = self.url(scene, GIF_SIDE, "jpg")
            self.pictures.still(poster, scene, GIF_SIDE)
            still = {"type": "image/jpeg", "url": poster, "width": width, "height": height}
            return [{"media_key": key, "type": "image/gif", "url": url, "width": width, "height": height, "poster": still,
                     "has_original_dimensions": True}]  # fmt: skip
        sizes = []
        for side in (FULL_SIDE, PREVIEW_SIDE):
            url = self.url(scene, side, "jpg")
            width, height, _ = self.pictures.still(url, scene, side)
            sizes.append({"media_key": key, "type": "image/jpeg", "url": url, "width": width, "height": height})
        sizes[0]["has_original_dimensions"] = True
        return sizes

    def image(self, scene):
        """An image block."""
        return {"type": "image", "media": self.media(scene), "alt_text": scene["title"]}

    def blocks(self, scenes, *more, **members):
        """A post of the newer editor."""
        text = [{"type": "text", "text": html.unescape(scene["text"])} for scene in scenes[:1] if scene["text"]]
        content = [self.image(scene) for scene in scenes] + text + list(more)
        return self.post(scenes[0]["title"], scenes[0]["tags"], type="blocks", original_type="regular", content=content,
                         layout=[], trail=[], **members)  # fmt: skip

    def reblog(self, scene, poster):
        """A post whose picture is in its trail; a poster that is gone has only a name."""
        earlier = {"content": [self.image(scene)], "layout": []} | poster
        comment = {"type": "text", "text": "From a friend."}
        return self.post(scene["title"], scene["tags"], type="blocks", original_type="note", content=[comment], layout=[],
                         trail=[earlier])  # fmt: skip

    def photos(self, scenes):
        """A photo post of the older editor, or a photoset."""
        photos = []
        for scene in scenes:
            sizes = [{part: size[part] for part in ("url", "width", "height")} for size in self.media(scene)]
            photos.append({"caption": scene["title"], "original_size": sizes[0], "alt_sizes": sizes})
        caption = f"<p>{scenes[0]['text']}</p>"
        return self.post(scenes[0]["title"], scenes[0]["tags"], type="photo", caption=caption, photos=photos,
                         photoset_layout="1" * len(photos))  # fmt: skip

    def figure(self, scene):
        """A text post whose picture is in its HTML."""
        sizes = self.media(scene)
        images = ", ".join(f"{size['url']} {size['width']}w" for size in reversed(sizes))
        body = (f'<div class="npf_row"><figure><img src="{sizes[0]["url"]}" srcset="{images}" '
                f'alt="{html.escape(scene["title"])}"/></figure></div><p>{scene["text"]}</p>')  # fmt: skip
        return self.post(scene["title"], scene["tags"], type="text", body=body, trail=[]) | {"title": None}


def tumblr_page(archive, path, query, body, response, status=(200, "OK")):
    """One response; the key has no place in an archive."""
    value = {"meta": {"status": status[0], "msg": status[1]}, "response": response}
    if status[0] != 200:
        value["errors"] = [{"title": status[1], "code": 0, "detail": "No blog with this name in the sample archive"}]
    archive.add_json(f"{TUMBLR}/{path}?{urlencode(query)}", body, value, status[0])


def make_tumblr(archive, scenes):
    """Two pages of a blog, posts with a tag, and a blog that does not exist."""
    pictures = Pictures(archive)
    blog = Blog(pictures)
    poll = {"type": "poll", "question": "Which?", "answers": []}
    gone = blog.blocks([scenes["regatta"]])
    gone["content"][0]["media"] = [{"type": "image/jpeg", "width": 640, "height": 480, "url": blog.url({"id": "gone"}, 640, "jpg")}]
    pictures.gone(blog.url({"id": "gone"}, 640, "jpg"))
    first = [
        blog.blocks([scenes["beam"]]), blog.blocks([scenes["lighthouse-noon"]]), blog.blocks([scenes["boat-bobbing"]]),
        blog.blocks([scenes["harbour-dusk"], scenes["village-night"], scenes["sea-night"]]),
        blog.post("A post of words alone", [], type="blocks", original_type="regular", trail=[], layout=[],
                  content=[{"type": "text", "text": "Nothing to see."}]),
        blog.blocks([scenes["balloon-rise"]]), blog.reblog(scenes["dunes"], {"blog": {"name": "sand"}}),
        blog.blocks([scenes["mill"]]), blog.photos([scenes["rainbow"], scenes["meadow"]]), gone,
        blog.figure(scenes["lighthouse-dusk"]), blog.blocks([scenes["forest-fog"]], poll),
    ]  # fmt: skip
    second = [
        first[-1], blog.reblog(scenes["snowfield"], {"broken_blog_name": "melted-away"}),
        blog.blocks([scenes["lighthouse-fog"]], blog_name=None), blog.photos([scenes["far-light"]]),
        blog.blocks([scenes["balloon-dawn"], scenes["mill-dusk"]]),
    ]  # fmt: skip
    del second[3]["id_string"]
    second[1]["tags"] = None
    info = {"name": "blog", "title": "A blog of drawings", "url": "https://blog.tumblr.com/", "posts": len(first) + len(second) - 1}
    following = {"limit": "20", "npf": "true", "tumblelog": "blog", "page_number": digest("second page")}
    link = {"href": f"/v2/blog/blog/posts?{urlencode(following)}", "method": "GET", "query_params": following}
    answer = {"blog": info, "total_posts": info["posts"]}
    tumblr_page(archive, "blog/blog/posts", {"limit": 20, "npf": "true"}, "posts-1.json",
                answer | {"posts": first, "_links": {"next": link}})  # fmt: skip
    tumblr_page(archive, "blog/blog/posts", following, "posts-2.json", answer | {"posts": second})
    tumblr_page(archive, "blog/nobody/posts", {"limit": 20, "npf": "true"}, "nobody.json", [], (404, "Not Found"))
    tagged = [post for post in first + second[1:] if "lighthouse" in (post["tags"] or [])]
    tumblr_page(archive, "tagged", {"limit": 20, "tag": "lighthouse"}, "tagged.json", tagged)
    tumblr_page(archive, "tagged", {"limit": 20, "tag": "lighthouse", "before": tagged[-1]["timestamp"]}, "tagged-end.json", [])


# Openverse


OPENVERSE = "https://api.openverse.org/v1/images/"


def openverse_result(pictures, scene, number):
    """One result; some lack what may be missing."""
    identifier = str(uuid.uuid5(uuid.NAMESPACE_URL, f"openverse/{scene['id']}"))
    name, version, code = LICENSES.get(scene["license"], (scene["license"], "1.0", scene["license"]))
    file = f"https://pictures.example.org/{scene['id']}.jpg"
    width, height, size = pictures.still(file, scene, FULL_SIDE)
    thumbnail = f"{OPENVERSE}{identifier}/thumb/"
    result = {
        "id": identifier, "title": scene["title"], "url": file, "thumbnail": thumbnail, "creator": scene["by"],
        "creator_url": f"https://pictures.example.org/by/{quote(scene['by'])}", "license": code, "license_version": version,
        "license_url": license_url(scene["license"]), "provider": "drawings", "source": "drawings", "category": "illustration",
        "foreign_landing_url": f"https://pictures.example.org/{scene['id']}", "width": width, "height": height,
        "filesize": size, "filetype": "jpg", "mature": False, "tags": [{"name": tag, "accuracy": None} for tag in scene["tags"]],
        "attribution": f'"{scene["title"]}" by {scene["by"]} is licensed under {name} {version}.', "fields_matched": ["title"],
    }  # fmt: skip
    if number % 7 == 3:
        # The service's thumbnails fail often.
        pictures.gone(thumbnail)
    elif number % 7 == 5:
        result["thumbnail"] = None
    else:
        pictures.still(thumbnail, scene, PREVIEW_SIDE)
    if number % 6 == 2:
        for member in ("width", "height", "filesize", "filetype", "category", "attribution"):
            result[member] = None
    if number % 9 == 4:
        del result["creator"], result["tags"]
    return result


def make_openverse(archive, scenes):
    """All results on two pages, and searches for a few words."""
    pictures = Pictures(archive)
    results = [openverse_result(pictures, scene, number) for number, scene in enumerate(scenes.values())]

    def search(body, found, **query):
        pages = max(1, -(-len(found) // 20))
        for page in range(1, pages + 1):
            part = found[(page - 1) * 20 : page * 20]
            value = {"result_count": len(found), "page_count": pages, "page_size": 20, "page": page, "results": part}
            archive.add_json(f"{OPENVERSE}?{urlencode(query | {'page': page, 'page_size': 20})}", f"{body}-{page}.json", value)

    def holding(word):
        return [result for result in results if word in json.dumps(result, ensure_ascii=False).lower()]

    search("everything", results)
    for word in ("lighthouse", "night", "boat"):
        search(word, holding(word), q=word)
    search("lighthouse-cc0", [result for result in holding("lighthouse") if result["license"] == "cc0"], q="lighthouse", license="cc0")
    search("nothing", [], q="zebra")


# Wikimedia Commons


COMMONS = "https://commons.wikimedia.org/w/api.php"
THUMBNAIL_SIDE = 330  # one of the widths that Commons allows
UPLOADS = "https://upload.wikimedia.org/wikipedia/commons"


def commons_info(pictures, scene, number):
    """The files and metadata of a page, which has HTML in it."""
    name = f"{scene['title'].replace(' ', '_')}.jpg"
    folder = hashlib.sha256(name.encode()).hexdigest()
    place = f"{folder[0]}/{folder[:2]}/{quote(name)}"
    width, height, size = pictures.still(f"{UPLOADS}/{place}", scene, FULL_SIDE)
    thumbnail = f"{UPLOADS}/thumb/{place}/{THUMBNAIL_SIDE}px-{quote(name)}"
    across, down, _ = pictures.still(thumbnail, scene, THUMBNAIL_SIDE)
    short = {"cc0": "CC0", "pdm": "Public domain"}.get(scene["license"]) or " ".join(LICENSES[scene["license"]][:2])
    user = f'<a href="//commons.wikimedia.org/wiki/User:{quote(scene["by"])}" title="User:{scene["by"]}">{scene["by"]}</a>'
    metadata = {
        "ImageDescription": {"value": f'<div class="description"><p>{scene["text"]}</p></div>'}, "Artist": {"value": user},
        "LicenseShortName": {"value": short}, "LicenseUrl": {"value": license_url(scene["license"])},
        "Credit": {"value": '<span class="int-own-work" lang="en">Own work</span>'},
        "DateTimeOriginal": {"value": f"2019-12-{number + 1:02} 12:00:00"}, "Categories": {"value": "|".join(scene["tags"])},
        "CommonsMetadataExtension": {"value": 1.2},
    }  # fmt: skip
    if number % 5 == 3:
        del metadata["Artist"], metadata["LicenseUrl"]
        metadata["ImageDescription"] = {"value": 42}
    return {
        "url": f"{UPLOADS}/{place}", "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{quote(name)}",
        "thumburl": thumbnail, "thumbwidth": across, "thumbheight": down, "width": width, "height": height, "size": size,
        "mime": "image/jpeg", "extmetadata": metadata,
    }  # fmt: skip


def make_wikimedia(archive, scenes):
    """Searches of two pages; the first page comes in two parts, as long answers of Commons do."""
    pictures = Pictures(archive)
    chosen = list(scenes.values())[:14]
    infos = [commons_info(pictures, scene, number) for number, scene in enumerate(chosen)]

    def search(body, words, found):
        query = {
            "action": "query", "format": "json", "formatversion": "2", "generator": "search",
            "gsrsearch": f"filetype:bitmap {words}".strip(), "gsrnamespace": "6", "gsrlimit": "50", "prop": "imageinfo",
            "iiprop": "url|size|mime|extmetadata", "iiurlwidth": f"{THUMBNAIL_SIDE}", "maxlag": "5",
        }  # fmt: skip
        split = -(-len(found) * 2 // 3)
        pages = [found[:split], found[split:]] if len(found) > 2 else [found]

        def files(part, shown):
            return [
                {"pageid": 81_754_300 + number, "ns": 6, "title": f"File:{chosen[number]['title']}.jpg", "index": index + 1}
                | ({"imagerepository": "local", "imageinfo": [infos[number]]} if shown(index) else {})
                for index, number in enumerate(part)
            ][::-1]

        def add(name, more, value):
            archive.add_json(f"{COMMONS}?{urlencode(query | more)}", f"{body}-{name}.json", value)

        if not found:
            add("1", {}, {"batchcomplete": True})
            return
        rest = {"iicontinue": f"{chosen[pages[0][0]]['id']}|20191201120000", "continue": "gsroffset||"}
        offset = {"gsroffset": str(len(pages[0])), "continue": "gsroffset||"}
        add("1", {}, {"continue": rest, "query": {"pages": files(pages[0], lambda index: index % 2 == 0)}})
        last = {"batchcomplete": True, "query": {"pages": files(pages[0], lambda index: index % 2 == 1)}}
        add("1-rest", rest, last | ({"continue": offset} if len(pages) > 1 else {}))
        if len(pages) > 1:
            add("2", offset, {"batchcomplete": True, "query": {"pages": files(pages[1], lambda _: True)}})

    def holding(word):
        return [number for number, scene in enumerate(chosen) if word in f"{scene['title']} {scene['text']}".lower()]

    search("everything", "", list(range(len(chosen))))
    for word in ("lighthouse", "night", "boat"):
        search(word, word, holding(word))
    search("nothing", "zebra", [])


# Astronomy Picture of the Day


APOD = "https://api.nasa.gov/planetary/apod"
APOD_SCENES = ("dune-night", "sea-night", "village-night", "snowfield", "beam", "balloon-dawn", "garden", "migration",
               "far-light", "first-snow", "mill-dusk", "rainbow", "winter-houses", "lighthouse-dusk")  # fmt: skip


def apod_day(pictures, scene, date, number):
    """One day: most have an image, some a video, one has neither."""
    day = {"date": date, "title": scene["title"], "service_version": "v1", "media_type": "image",
           "explanation": f"{html.unescape(scene['text'])} This is a drawing of the sample archive, not NASA's picture of the day."}  # fmt: skip
    place = f"https://apod.nasa.gov/apod/image/{date[2:4]}{date[5:7]}/{scene['id']}"
    if number == 9:
        return day | {"media_type": "other"}
    if number % 6 == 4:
        thumbnail = f"https://img.example.org/{scene['id']}/0.jpg"
        pictures.still(thumbnail, scene, PREVIEW_SIDE)
        return day | {"media_type": "video", "url": f"//video.example.org/embed/{scene['id']}", "thumbnail_url": thumbnail}
    pictures.still(f"{place}_{PREVIEW_SIDE}.jpg", scene, PREVIEW_SIDE)
    day["url"] = f"{place}_{PREVIEW_SIDE}.jpg"
    if number % 4 != 2:
        pictures.still(f"{place}.jpg", scene, FULL_SIDE)
        day["hdurl"] = f"{place}.jpg"
    if number % 3 == 0:
        day["copyright"] = f"\n{scene['by']}\n"
    return day


def make_apod(archive, scenes):
    """December and November 2019, the newest day alone, a few random days; earlier months are empty."""
    pictures = Pictures(archive)
    dates = [f"2019-12-{day:02}" for day in range(26, 17, -1)] + [f"2019-11-{day:02}" for day in range(30, 25, -1)]
    days = [apod_day(pictures, scenes[name], date, number) for number, (name, date) in enumerate(zip(APOD_SCENES, dates, strict=True))]

    def add(body, value, **query):
        archive.add_json(f"{APOD}?{urlencode(query)}" if query else APOD, f"{body}.json", value)

    add("newest", days[0])
    december = [day for day in days if day["date"] > "2019-12"][::-1]
    add("2019-12", december, start_date="2019-12-01", end_date="2019-12-26")
    add("2019-11", [day for day in days if day["date"] < "2019-12"][::-1], start_date="2019-11-01", end_date="2019-11-30")
    for month, last in ((10, 31), (9, 30), (8, 31), (7, 31), (6, 30), (5, 31)):
        add("earlier", [], start_date=f"2019-{month:02}-01", end_date=f"2019-{month:02}-{last}")
    add("random", [days[5], days[0], days[11]], count=3)


# Bing Image Search


BING = "https://api.bing.microsoft.com/v7.0/images/search"


def bing_value(pictures, scene, number):
    """One image; every fifth file is gone, as on the web."""
    identifier = digest("bing", scene["id"]).upper() + "00000000"
    page = f"http://drawings.example.org/{scene['id']}"
    thumbnail = f"https://tse{number % 4 + 1}.mm.bing.net/th?id=OIP.{digest(scene['id'])[:27]}&pid=Api"
    across, down, _ = pictures.still(thumbnail, scene, PREVIEW_SIDE)
    file = f"{page}.jpg"
    width, height, size = pictures.still(file, scene, FULL_SIDE) if number % 5 != 3 else (1600, 1200, 234_567)
    if number % 5 == 3:
        pictures.gone(file)
    value = {
        "name": scene["title"], "thumbnailUrl": thumbnail, "datePublished": f"2019-11-{number + 1:02}T15:37:00.0000000Z",
        "isFamilyFriendly": True, "contentUrl": file, "hostPageUrl": page, "contentSize": f"{size} B", "encodingFormat": "jpeg",
        "hostPageDisplayUrl": f"drawings.example.org/{scene['id'][:4]}...", "width": width, "height": height,
        "hostPageDomainFriendlyName": "Drawings", "thumbnail": {"width": across, "height": down}, "imageId": identifier,
        "accentColor": "A92C22",
    }  # fmt: skip
    if scene["license"].startswith("by"):
        terms = {"by": "Attribution", "nc": "NonCommercial", "nd": "NoDerivatives", "sa": "ShareAlike"}
        value["creativeCommons"] = "".join(terms[term] for term in scene["license"].split("-"))
    if number % 6 == 4:
        del value["datePublished"], value["hostPageDomainFriendlyName"], value["contentSize"]
    return value


def make_bing(archive, scenes):
    """Searches of two pages, the second of which begins with images of the first, and an error."""
    pictures = Pictures(archive)
    values = [bing_value(pictures, scene, number) for number, scene in enumerate(scenes.values())]

    def search(words, found):
        parts = [(0, found)] if len(found) < 10 else [(0, found[:14]), (17, found[12:])]
        for number, (offset, part) in enumerate(parts):
            after = parts[number + 1][0] if number + 1 < len(parts) else offset
            value = {"_type": "Images", "queryContext": {"originalQuery": words}, "totalEstimatedMatches": len(found) + 9 - number,
                     "nextOffset": after, "currentOffset": offset, "value": part}  # fmt: skip
            query = {"q": words, "safeSearch": "Moderate", "count": 100, "offset": offset}
            archive.add_json(f"{BING}?{urlencode(query)}", f"{words}-{number + 1}.json", value)

    def holding(word):
        chosen = [word in json.dumps(scene).lower() for scene in scenes.values()]
        return [value for value, is_wanted in zip(values, chosen, strict=True) if is_wanted]

    search("drawing", values)
    for word in ("lighthouse", "night", "boat"):
        search(word, holding(word))
    error = {"code": "InvalidRequest", "subCode": "ParameterMissing", "message": "Required parameter is missing.", "parameter": "q"}
    query = {"safeSearch": "Moderate", "count": 100, "offset": 0}
    archive.add_json(f"{BING}?{urlencode(query)}", "no-words.json", {"_type": "ErrorResponse", "errors": [error]}, 400)


def main():
    """Makes all of them."""
    plan = json.loads((SAMPLES / "make-source-archives.json").read_text(encoding="utf-8"))
    scenes = {scene["id"]: scene for scene in plan}
    makers = {"tumblr": make_tumblr, "openverse": make_openverse, "wikimedia": make_wikimedia, "apod": make_apod,
              "bing": make_bing}  # fmt: skip
    for name, make in makers.items():
        folder = SAMPLES / "archives" / name
        folder.mkdir(parents=True, exist_ok=True)
        archive = Archive(folder)
        for body in folder.glob("*.json"):
            body.unlink()
        make(archive, scenes)
        archive.save()
        files = [path for path in folder.rglob("*") if path.is_file()]
        print(f"{name}: {len(archive.lines)} responses, {sum(path.stat().st_size for path in files) // 1024} KB")


if __name__ == "__main__":
    main()
