import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

private let blog = PhotoQuery("lighthouses")
private let tagged = PhotoQuery(filters: ["tag": ["sea fog"]])

/// A source whose service responds with these bodies, the last one again and again.
private func source(_ bodies: String..., status: Int = 200, headers: [(String, String)] = []) -> (
    WebSource, ScriptedTransport
) {
    let transport = ScriptedTransport { request, number in
        FetchResponse(
            address: request.address, status: status,
            headers: HeaderFields(headers.map { HeaderFields.Field(name: $0, value: $1) }),
            body: Array(bodies[min(number, bodies.count - 1)].utf8))
    }
    return (WebSource(TumblrService(), transport: transport, key: "s3cr3t", clock: TickingClock()), transport)
}

private func envelope(_ response: String) -> String {
    #"{"meta":{"status":200,"msg":"OK"},"response":\#(response)}"#
}

private func posts(_ posts: String..., total: Int = 1000, next: String? = nil) -> String {
    let links = next.map { #","_links":{"next":{"href":"\#($0)","method":"GET"}}"# } ?? ""
    return envelope(#"{"posts":[\#(posts.joined(separator: ","))],"total_posts":\#(total)\#(links)}"#)
}

/// A legacy photo post.
private func photo(_ id: Int, _ members: String = "") -> String {
    #"{"id":\#(id),"type":"photo","timestamp":\#(id)\#(members),"photos":[{"original_size":{"url":"https://m/\#(id).jpg"}}]}"#
}

private func text(_ id: Int) -> String { #"{"id":\#(id),"type":"text","timestamp":\#(id),"body":"<p>words</p>"}"# }

private func onlyPhoto(_ post: String) async throws -> Photo? {
    try await source(posts(post)).0.page(of: blog, at: nil).photos.first
}

@Suite("TumblrService: requests and pages", .timeLimit(.minutes(10)))
struct TumblrPageTests {
    @Test("A blog is requested in the newer format, with the key at the end")
    func blogRequest() async throws {
        let (source, transport) = source(posts(photo(1)))
        _ = try await source.page(of: blog, at: nil)
        _ = try await source.page(of: PhotoQuery("lighthouses", filters: ["tag": ["fog"]]), at: nil)
        #expect(
            transport.addresses == [
                "https://api.tumblr.com/v2/blog/lighthouses/posts?limit=20&npf=true&api_key=s3cr3t",
                "https://api.tumblr.com/v2/blog/lighthouses/posts?limit=20&npf=true&tag=fog&api_key=s3cr3t",
            ])
    }

    @Test(
        "The name of a blog is found in its address",
        arguments: [
            ("staff.tumblr.com", "staff.tumblr.com"), ("https://staff.tumblr.com/archive", "staff.tumblr.com"),
            ("https://www.tumblr.com/staff/1", "staff"), ("@staff", "staff"), ("t:bF2-_x", "t:bF2-_x"),
        ])
    func blogNames(text: String, name: String) async throws {
        let (source, transport) = source(posts(photo(1)))
        _ = try await source.page(of: PhotoQuery(text), at: nil)
        #expect(transport.requests.first?.address.path == "/v2/blog/\(name)/posts")
    }

    @Test(
        "Words, paths and empty text are refused as a blog's name",
        arguments: ["", "two words", "..", "a?b", "é", "a%2Fb", "x\u{1B}[2J"])
    func invalidBlogs(text: String) async throws {
        let (source, transport) = source(posts(photo(1)))
        let error = try await catalogError { try await source.page(of: PhotoQuery(text), at: nil) }
        #expect(error.kind == .invalidQuery && error.subject == .text && error.description.contains("tag:WORD"))
        #expect(transport.count == 0)
    }

    @Test("The link to the next page is followed with its token, and the key is added again")
    func links() async throws {
        let (source, transport) = source(
            posts(photo(1), next: "/v2/blog/lighthouses/posts?npf=true&limit=20&api_key=wrong&page_number=a-_%2B%3D"),
            posts(photo(2)))
        let page = try await source.page(of: blog, at: nil)
        let next = try #require(page.next)
        #expect(!next.token.contains("s3cr3t") && !next.token.contains("wrong"))
        let last = try await source.page(of: blog, at: next)
        #expect(page.total == .estimate(1000) && last.next == nil)
        #expect(
            transport.addresses.last
                == "https://api.tumblr.com/v2/blog/lighthouses/posts?npf=true&limit=20&page_number=a-_%2B%3D&api_key=s3cr3t"
        )
    }

    @Test(
        "A link to another host or place does not redirect the search",
        arguments: ["https://evil.example/x?page_number=7", "//evil.example/?page_number=7", "?page_number=7"])
    func foreignLinks(link: String) async throws {
        let (source, transport) = source(posts(photo(1), next: link), posts(photo(2)))
        let next = try #require(try await source.page(of: blog, at: nil).next)
        _ = try await source.page(of: blog, at: next)
        #expect(
            transport.addresses.last
                == "https://api.tumblr.com/v2/blog/lighthouses/posts?limit=20&npf=true&page_number=7&api_key=s3cr3t")
    }

    @Test("Links without a query end the list", arguments: ["/v2/blog", "mailto:a", "?api_key=x"])
    func uselessLinks(link: String) async throws {
        #expect(try await source(posts(photo(1), next: link)).0.page(of: blog, at: nil).next == nil)
    }

    @Test("Posts with a tag are read before the time of the last one")
    func taggedPages() async throws {
        let (source, transport) = source(
            envelope("[\(photo(9)),\(photo(8, #","featured_timestamp":5"#))]"), envelope("[\(photo(4)),{}]"),
            envelope("[]"))
        var pages = PagedPhotos(tagged, from: source)
        #expect(try await pages.ids() == ["9", "8", "4"])
        #expect(
            transport.addresses.map { $0.split(separator: "?").last ?? "" } == [
                "limit=20&tag=sea%20fog&api_key=s3cr3t", "limit=20&tag=sea%20fog&before=5&api_key=s3cr3t",
                "limit=20&tag=sea%20fog&before=4&api_key=s3cr3t",
            ])
        #expect(transport.requests.first?.address.path == "/v2/tagged")
    }

    @Test(
        "A recorded address tells its search",
        arguments: [
            ("v2/blog/staff/posts?limit=20&tag=a%20b", "staff tag:a b"), ("v2/tagged?tag=fog&before=1", "tag:fog"),
            ("v2/blog/staff/info", nil), ("v2/posts", nil), ("tagged", nil),
        ])
    func searches(address: String, search: String?) throws {
        #expect(TumblrService().search(at: try #require(WebAddress("https://h/\(address)"))) == search)
    }

    @Test("Pages of text posts alone are passed over")
    func textPages() async throws {
        let (source, transport) = source(
            posts(text(1), next: "?page_number=b"), posts(text(2), next: "?page_number=c"),
            posts(photo(3), next: "?page_number=d"))
        let page = try await source.page(of: blog, at: nil)
        #expect(page.photos.map(\.id) == ["3"])
        #expect(page.next?.token.contains("page_number=d") == true && transport.count == 3)
    }

    @Test("A service that repeats its page ends, with or without pictures", arguments: [photo(1), text(1)])
    func repetition(post: String) async throws {
        let (source, transport) = source(posts(post, next: "?page_number=b"))
        var pages = PagedPhotos(blog, from: source)
        #expect(try await pages.ids() == (post == photo(1) ? ["1"] : []))
        #expect(transport.count == 2)
    }

    @Test("A service that never ends is asked a limited number of times")
    func endless() async throws {
        let transport = ScriptedTransport { request, number in
            FetchResponse(to: request, posts(text(number), next: "?page_number=\(number)"))
        }
        var pages = PagedPhotos(blog, from: WebSource(TumblrService(), transport: transport, clock: TickingClock()))
        #expect(try await pages.nextPhoto() == nil)
        #expect(transport.count == WebSource.maxRequestsPerPage * 5)
    }

    @Test(
        "Errors have the service's own reason and never the key",
        arguments: [
            (
                401,
                #"{"meta":{"status":401,"msg":"Unauthorized"},"response":[],"errors":[{"title":"Unauthorized","detail":"no s3cr3t"}]}"#,
                "api.tumblr.com: request refused (401): Unauthorized: no ******; check the key in SPYGLASS_TUMBLR_KEY"
            ),
            (
                404, #"{"meta":{"status":404,"msg":"Not Found"},"response":[],"errors":[{"title":"Not Found"}]}"#,
                "api.tumblr.com: nothing at /v2/blog/lighthouses/posts (404): Not Found"
            ),
            (
                200, #"{"meta":{"status":403,"msg":"Forbidden"},"response":[]}"#,
                "api.tumblr.com: search refused: Forbidden"
            ),
            (500, #"{"meta":null,"errors":"x"}"#, "api.tumblr.com: server error (500); try again later"),
        ])
    func errors(status: Int, body: String, message: String) async throws {
        let error = try await catalogError { try await source(body, status: status).0.page(of: blog, at: nil) }
        #expect(error.description == message && error.kind == .unavailable)
    }

    @Test("The limit that is used up is named by the header fields of a 429")
    func rateLimit() async throws {
        let headers = [
            ("X-Ratelimit-Perday-Limit", "5000"), ("X-Ratelimit-Perday-Remaining", "4000"),
            ("X-Ratelimit-Perday-Reset", "80000"), ("X-Ratelimit-Perhour-Limit", "1000"),
            ("X-Ratelimit-Perhour-Remaining", "0"), ("X-Ratelimit-Perhour-Reset", "1234"),
        ]
        let error = try await catalogError {
            try await source(
                #"{"meta":{"status":429,"msg":"Limit Exceeded"},"response":[]}"#, status: 429, headers: headers
            ).0.page(of: blog, at: nil)
        }
        #expect(
            error.description == "api.tumblr.com: too many requests (429): Limit Exceeded: "
                + "all 1000 requests an hour used, reset in 1234 s; try again later")
    }
}

@Suite("TumblrService: posts", .timeLimit(.minutes(10)))
struct TumblrPostTests {
    @Test("A GIF is shown by its still image in lists, and in full")
    func posters() async throws {
        let photo = try await onlyPhoto(
            #"""
            {"id":1,"type":"blocks","content":[{"type":"image","media":[
            {"url":"//m/540.gif","type":"image/gif","width":540,"height":300,"poster":{"url":"https://m/540.jpg","width":540,"height":300}},
            {"url":"http://m/250 a.gif","width":250,"height":139,"poster":[{"url":"https://m/250.jpg","width":250}]},
            {"url":"https://m/75.gif","width":75,"height":75,"cropped":true}]}]}
            """#)
        #expect(photo?.thumbnail?.text == "https://m/540.jpg")
        #expect(
            photo?.renditions.map(\.address.text) == ["https://m/540.gif", "http://m/250%20a.gif", "https://m/540.jpg"])
        #expect(photo?.renditions.map(\.rel) == ["canonical", "alternate", "preview"])
        #expect(photo?.renditions.map(\.width) == [540, 250, nil])
    }

    @Test("Without a still image, a small size of a GIF is its preview")
    func gifSizes() async throws {
        let sizes = [500, 400, 250, 100, 75].map { #"{"url":"https://m/\#($0).gif","width":\#($0),"height":\#($0)}"# }
        let photo = try await onlyPhoto(
            #"{"id":1,"type":"photo","photos":[{"original_size":\#(sizes[0]),"alt_sizes":[\#(sizes.joined(separator: ","))]}]}"#
        )
        #expect(photo?.thumbnail?.path == "/250.gif")
        #expect(photo?.renditions.map(\.width) == [500, 400, 250, 100])
    }

    @Test("The pictures of a reblog come from its trail, with the name of the first poster")
    func trail() async throws {
        func image(_ name: String) -> String {
            #"{"type":"image","media":[{"url":"https://m/\#(name).jpg","width":640,"height":480}]}"#
        }
        let photo = try await onlyPhoto(
            #"""
            {"id_string":"9007199254740993","id":9007199254740992,"blog_name":"me","content":[{"type":"text","text":"mine"}],"trail":[
            {"broken_blog_name":"gone","content":[{"type":"poll"},\#(image("a")),{"type":"text","text":"a < b"}]},
            {"blog":{"name":"other"},"content":[\#(image("b")),\#(image("a")),{"type":"image","media":[]},7,null]},{}, null]}
            """#)
        let texts = [photo?.id, photo?.photographer, photo?.center, photo?.credit, photo?.description]
        #expect(texts == ["9007199254740993", "gone", "me", "gone on Tumblr", "a < b\n\nmine"])
        #expect(photo?.renditions.map(\.rel) == ["canonical", "picture-2"])
        #expect(photo?.pictureCount == 2 && photo?.picture(1).renditions.count == 1)
        #expect(photo?.picture(2).thumbnail?.path == "/b.jpg" && photo?.picture(2).width == 640)
        #expect(photo?.picture(3) == photo?.picture(1))
    }

    @Test(
        "A post without a title is named after its text, its first tag or its blog",
        arguments: [
            (#","caption":"<p>The <b>old</b> tower</p><p>by night</p>","tags":["fog"]"#, "The old tower"),
            (#","tags":["fog","sea"],"blog_name":"me""#, "fog"), (#","blog_name":"me""#, "me"), ("", "1"),
        ])
    func titles(members: String, title: String) async throws {
        #expect(try await onlyPhoto(photo(1, members))?.title == title)
    }

    @Test("Large ids keep every digit", arguments: ["9223372036854775807", "184467440737095516150"])
    func ids(id: String) async throws {
        let photo = try await onlyPhoto(
            #"{"id":\#(id),"body":"<IMG alt='A &amp; B' src=//m/a.png?x=1&amp;y=2 data-orig-width=5>"}"#)
        #expect([photo?.id, photo?.title, photo?.thumbnail?.text] == [id, "A & B", "https://m/a.png?x=1&y=2"])
    }

    @Test(
        "Posts without a picture or an id are left out",
        arguments: [
            "{}", "null", "7", "[]", #"{"id":1}"#, #"{"id":1,"content":{}}"#, #"{"id":1,"photos":[{"alt_sizes":7}]}"#,
            #"{"id":1,"content":[{"type":"image","media":[{"url":7},{"url":"data:image/png;base64,AA=="}]}]}"#,
            #"{"id":null,"body":"<img src='https://m/a.jpg'>"}"#, #"{"id":1,"body":"<img src='https://m/a.jpg' "}"#,
            #"{"id":1,"body":"<img><imgs src='https://m/a'><img src=''><img srcset=', ,'>"}"#,
        ])
    func leftOut(post: String) async throws {
        let page = try await source(posts(post, photo(2), total: 2)).0.page(of: blog, at: nil)
        #expect(page.photos.map(\.id) == ["2"])
    }

    @Test("Absurd sizes and default ones do not count")
    func sizes() async throws {
        let photo = try await onlyPhoto(
            #"""
            {"id":1,"content":[{"type":"image","media":[
            {"url":"https://m/a.jpg","width":540,"height":405,"original_dimensions_missing":true},
            {"url":"https://m/b.jpg","width":-1,"height":1e300},{"url":"https://m/c.jpg","width":"500","height":9223372036854775807}]}]}
            """#)
        #expect(photo?.renditions.map(\.width) == [nil, nil, 500])
        #expect(photo?.thumbnail?.path == "/c.jpg")
        let image = try await onlyPhoto(
            #"{"id":1,"body":"<img data-orig-width=1 data-orig-height=9223372036854775807 srcset='https://m/a,b 9223372036854775807w,https://m/c 2x'>"}"#
        )
        #expect(image?.renditions.map(\.address.path) == ["/a,b", "/c"])
        #expect(image?.renditions.map(\.height) == [nil, nil])
    }

    @Test("A post has at most 100 pictures, and a caption its limit")
    func limits() async throws {
        let images = (0..<500).map { "<img src=https://m/\($0).jpg>" }.joined()
        let photo = try await onlyPhoto(
            #"{"id":1,"title":"\u001b]0;x\u0007 T","body":"\#(images)\#(String(repeating: "é", count: 100_000))"}"#)
        #expect(photo?.pictureCount == 100 && photo?.title.hasSuffix("T") == true)
        #expect((photo?.description?.utf8.count ?? 0) <= PlainText.descriptionLimit + 3)
    }

    @Test(
        "Hostile markup is read in linear time",
        arguments: ["<img ", "<img a='", "<", "<img src=x srcset=", "<img a=b "])
    func markup(part: String) {
        #expect(HTMLImages.attributes(in: String(repeating: part, count: 25_000)).count <= 100)
        #expect(HTMLImages.candidates(in: String(repeating: "\(part), ", count: 25_000)).count <= 100)
    }
}

@Suite(
    "TumblrService: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct TumblrRecordingTests {
    private func page(_ name: String) async throws -> PhotoPage {
        try await WebSource(TumblrService(), transport: recording(name, of: "tumblr"), clock: TickingClock())
            .page(of: name.hasPrefix("tagged") ? tagged : blog, at: nil)
    }

    @Test(
        "Every recorded post with a picture comes out once, in order",
        arguments: [
            ("posts-npf-blocks", 0, "", "", 0, false),
            ("posts-npf-image-2021", 1, "662456162462154752", "662456162462154752", 1, true),
            ("posts-photo-photoset5-2025", 1, "177199286249", "177199286249", 5, false),
            ("posts-text-new-links-2025", 2, "788338580402716673", "786711218467536896", 20, true),
            ("posts-photo-prettysimpletattoos-20", 20, "173191076128", "158777117058", 20, true),
            ("tagged-photo-20", 19, "819063041560854528", "819058191981756416", 21, true),
            ("tagged-text-20", 10, "819058460037660672", "819050151438139392", 11, true),
        ])
    func pages(
        name: String, count: Int, first: String, last: String, pictures: Int, continues: Bool
    ) async throws {
        let page = try await page(name)
        let ids = page.photos.map(\.id)
        // The newest first.
        #expect(ids.count == count && ids == Set(ids).sorted(by: >))
        #expect([ids.first ?? "", ids.last ?? ""] == [first, last])
        #expect(page.photos.reduce(0) { $0 + $1.pictureCount } == pictures && (page.next != nil) == continues)
        for photo in page.photos {
            #expect(photo.thumbnail?.scheme == "https" && photo.page != nil && photo.date?.hasSuffix("GMT") == true)
            #expect(photo.renditions.contains { $0.address == photo.thumbnail })
            #expect(photo.renditions.count { $0.rel == "canonical" } == 1)
            #expect(!photo.title.isEmpty && photo.photographer != nil && photo.credit != nil)
            #expect(!(photo.description ?? "").contains("</"))
        }
    }

    @Test("The pictures of a recorded text post have the sizes of its markup")
    func markup() async throws {
        let photo = try #require(try await page("tagged-photo-20").photos.first { $0.id == "819062771548356608" })
        #expect(photo.keywords == ["meme", "humor", "tumblr milestone"])
        #expect(photo.renditions.first { $0.rel == "canonical" }?.height == 248)
        #expect(photo.thumbnail?.path.contains("/s400x600/") == true)
        #expect(photo.renditions.last?.rel == "picture-2" && photo.renditions.last?.width ?? 0 > 1280)
    }
}
