import SpyglassFetching
import SpyglassPixels
import Testing

@testable import SpyglassBatch

@Suite("NameTemplate")
struct NameTemplateTests {
    private func path(_ template: String, _ item: BatchItem = .sample(), _ size: String = "320x240") throws -> String {
        try NameTemplate(parsing: template).name(of: item, size: #require(OutputSize(size)), extension: "jpg").path
    }

    @Test(
        "Every field is filled in; a side without a limit is empty, and a percentage is 50pct",
        arguments: [
            ("{stem}.{ext}", "320x240", "m31.jpg"), ("{stem}-{w}x{h}.{ext}", "320x240", "m31-320x240.jpg"),
            ("{id}.{ext}", "320x240", "deep sky_m31.jpg.jpg"), ("{n}.{ext}", "320x240", "1.jpg"),
            ("{w}/{h}/{stem}", "320x240", "320/240/m31"), ("{hash}", "320x240", "6fd3a20398473347"),
            ("a{{b}}{stem}", "320x240", "a{b}m31"), (".cache/{stem}", "320x240", ".cache/m31"),
            ("{hash:2}/{hash:16}.{ext}", "320x240", "6f/6fd3a20398473347.jpg"),
            ("{w}x{h}", "320x", "320x"), ("{w}x{h}", "x240", "x240"), ("{w}x{h}", "320x240", "320x240"),
            ("{w}", "50%", "50pct"), ("{h}", "50%", "50pct"), ("{w}x{h}", "50%", "50pct"),
            ("{stem}-{w}x{h}.{ext}", "50%", "m31-50pct.jpg"), ("{w}x{h}x{w}x{h}", "50%", "50pctx50pct"),
            ("{h}x{w}", "50%", "50pctx50pct"),
            // Neither hidden characters nor combined pieces that form `..` get through.
            ("a\u{200B}b", "320x240", "a_b"), (".{w}/x", "x240", "_/x"), (".{w}.", "x240", "_."),
            ("{w}.jpg", "x240", "_jpg"), (".spyglass-{n}.jpg", "320x240", "_spyglass-1.jpg"),
        ])
    func fields(_ template: String, _ size: String, _ expected: String) throws {
        #expect(try path(template, .sample("deep sky/m31.jpg", stem: "m31"), size) == expected)
    }

    @Test("The default template distinguishes several sizes")
    func template() throws {
        let size = try #require(OutputSize("320x"))
        let item = BatchItem.sample(stem: "m31", folders: ["deep", "sky"])
        for (count, path) in [(1, "deep/sky/m31.png"), (2, "deep/sky/m31-320x.png")] {
            let template = NameTemplate.standard(sizeCount: count)
            #expect(try template.name(of: item, size: size, extension: "png").path == path)
            #expect(try NameTemplate(parsing: template.text) == template)
        }
    }

    @Test(
        "An invalid template is rejected with the reason",
        arguments: [
            ("{stam}.{ext}", "{stam}"), ("{stem.jpg", "'{'"), ("stem}.jpg", "'}'"), ("/tmp/{stem}", "'/'"),
            ("../{stem}", "'..'"),
            ("a/./b", "'.'"), ("a//b", "empty"), ("a/", "empty"), ("", "empty"), ("{hash:0}", "{hash:0}"),
            ("{hash:17}", "{hash:17}"), ("{hash:}", "{hash:}"), ("a\nb", "control"), ("a\0b", "control"), ("{}", "{}"),
            ("{\u{1B}[2J}", "unknown"), ("{stem}.gif", "'.gif'; use .{ext}, .jpg, .jpeg, .png, .webp or .avif"),
            ("{stem}.{ext}.txt", "'.txt'"), ("a/{w}-x.tif", "'.tif'"), ("x.Gif", "'.Gif'"),
        ])
    func refused(_ template: String, _ named: String) throws {
        let error = batchError { try NameTemplate(parsing: template) }
        #expect(error?.kind == .usage && error?.reason.containsBytes(of: named) == true)
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    @Test(
        "The extension decides the format",
        arguments: [
            ("{stem}.png", .png), ("{stem}.webp", .webp), ("x.avif", .avif), ("{stem}.{ext}.JPG", .jpeg),
            ("x.jpeg", .jpeg), ("{stem}.{ext}", nil),
            ("{hash}", nil),
            ("{stem}.", nil), ("a.gif/{stem}", nil), (".thumb", nil), ("{stem}.v{n}", nil), ("{id}/.{n}.Png", .png),
        ] as [(String, BatchJob.Format?)])
    func format(_ template: String, _ format: BatchJob.Format?) throws {
        #expect(try NameTemplate(parsing: template).format == format)
    }

    @Test("An extension and another format are rejected")
    func contradiction() throws {
        let size = try #require(OutputSize("1"))
        for template in ["{stem}.png", "{stem}.{ext}", "{stem}"] {
            try NameTemplate(parsing: template).check([size], .png)
            try NameTemplate(parsing: template).check([size], .same)
        }
        let error = batchError { try NameTemplate(parsing: "{stem}.png").check([size], .jpeg) }
        #expect(error?.kind == .usage && error?.reason.containsBytes(of: "--format jpeg") == true)
    }

    @Test("Several sizes need different names")
    func sizes() throws {
        let sizes = ["320x240", "320x", "x240", "50%", "25%"].compactMap { OutputSize($0) }
        try NameTemplate(parsing: "{w}").check(Array(sizes.suffix(2)), .same)
        try NameTemplate(parsing: "{h}").check(Array(sizes.suffix(2)), .same)
        try NameTemplate(parsing: "{w}x{h}").check(sizes, .same)
        try NameTemplate(parsing: "{stem}").check([sizes[0]], .same)
        for template in ["{stem}.{ext}", "{w}", "{h}"] {
            #expect(throws: BatchError.self) { try NameTemplate(parsing: template).check(sizes, .same) }
        }
    }

    @Test(
        "Values cannot add folders, hidden names or control characters",
        arguments: [
            ("../../etc/passwd", "_._.._etc_passwd"), ("..", "_."), (".", "_"), (".hidden", "_hidden"), ("", "_"),
            ("a\0b", "a_b"),
            ("a\u{1B}[2Jb\n", "a_[2Jb_"), ("\u{202E}gpj.exe", "_gpj.exe"), ("caf\u{FFFD}", "caf_"), ("/", "_"),
            ("été 日本 👩‍🚀", "été 日本 👩‍🚀"), ("a\u{200B}b\u{AD}c\u{2060}", "a_b_c_"), ("\u{E0001}\u{E0041}", "__"),
            ("a\u{200D}\u{FE0F}\u{E0100}\u{3164}", "a____"),
            ("❤\u{FE0F}\u{FE0F}1\u{FE0F}\u{20E3}", "❤\u{FE0F}_1\u{FE0F}\u{20E3}"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("葛\u{E0100}\u{E0100}", "葛\u{E0100}_"),
            (".spyglass-1-2.tmp", "_spyglass-1-2.tmp"),
        ])
    func hostileValues(_ id: String, _ expected: String) throws {
        #expect(try path("{id}", .sample(id)) == expected)
        let folders = try NameTemplate(parsing: "x").name(
            of: .sample(folders: [id]), size: #require(OutputSize("1")), extension: "jpg")
        #expect(folders.components == [expected, "x"])
    }

    @Test("A long name is cut at a character and stays unique")
    func long() throws {
        let long = String(repeating: "é", count: 300)
        let names = try ["a", "b"].map { try path("{id}.{ext}", .sample(long + $0)) }
        for name in names {
            #expect((250...255).contains(name.utf8.count) && name.hasPrefix("éé") && name.hasSuffix(".jpg"))
        }
        #expect(names[0] != names[1])
        // One character above the limit.
        let cluster = "e" + String(repeating: "\u{301}", count: 300)
        #expect(try path("{id}.{ext}", .sample(cluster)).utf8.count == 21)
    }

    @Test("A path above the limit is an error")
    func tooLong() throws {
        let folders = [String](repeating: String(repeating: "a", count: 200), count: 25)
        #expect(batchError { try path("{stem}", .sample(folders: folders)) }?.kind == .input)
    }
}

@Suite("OutputSize")
struct OutputSizeTests {
    @Test(
        "A size is a square, a box, a width, a height or a percentage",
        arguments: [
            ("320", "320x320"), ("320x240", "320x240"), ("320x", "320x"), ("x240", "x240"), ("65535", "65535x65535"),
            ("50%", "50%"), ("1%", "1%"), ("1000%", "1000%"),
        ])
    func sizes(_ text: String, _ shown: String) {
        #expect(OutputSize(text)?.description == shown)
    }

    @Test(
        "Other texts are rejected",
        arguments: [
            "", "x", "0", "0x3", "3x0", "-3", "+3", "3X4", "1x2x3", "65536", "٣", "3 x4", "000001", "%", "0%", "1001%",
            "-5%",
            "+5%", "5.5%", "50%%", "50 %", "50%x", "x50%", "٣%",
        ])
    func refused(_ text: String) {
        #expect(OutputSize(text) == nil)
    }

    @Test("A percentage is one of the source, with any fit; above 100 % it enlarges")
    func percentage() throws {
        let source = PixelSize(width: 301, height: 3)
        let half = try #require(OutputSize("50%"))
        #expect(half.target(fit: .cover, allowsUpscaling: false).size(for: source) == PixelSize(width: 151, height: 2))
        let double = try #require(OutputSize("200%"))
        let large = double.target(fit: .contain, allowsUpscaling: false).size(for: source)
        #expect(large == PixelSize(width: 602, height: 6))
    }

    @Test("A width alone does not limit the height")
    func openSides() throws {
        let tall = PixelSize(width: 100, height: 5000)
        let target = try #require(OutputSize("50x")).target(fit: .cover, allowsUpscaling: false)
        #expect(target.size(for: tall) == PixelSize(width: 50, height: 2500))
    }
}
