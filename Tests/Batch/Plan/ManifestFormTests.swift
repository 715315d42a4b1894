import SpyglassJSON
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBatch

@Suite("ManifestForm", .timeLimit(.minutes(10)))
struct ManifestFormTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func items(
        _ text: String, _ name: String = "list", columns: ManifestColumns = ManifestColumns(),
        fit: BatchJob.Fit = .contain
    ) async throws -> [PlannedItem] {
        try folder.write(name, text)
        var job = try BatchJob.sample("320")
        job.fit = fit
        return try await ManifestFeed(path: folder.path(name), job, columns: columns).all()
    }

    @Test("The name or else the first line tells the form", arguments: ["list", "list.csv", "LIST.CSV.GZ"])
    func forms(_ name: String) async throws {
        let table = "\u{FEFF}id,url,label\r\none,a.jpg,x\r\n\r\ntwo,b.jpg,\"y, \"\"z\"\"\"\r\n"
        let items = try await items(table, name).compactMap(\.item)
        #expect(items.map(\.id) == ["one", "two"] && items.allSatisfy { $0.isListed })
        let columns = items.flatMap(\.columns)
        #expect(
            columns == [.init(name: "label", value: .string("x")), .init(name: "label", value: .string("y, \"z\""))])
    }

    @Test("Tabs separate fields, lines are addresses or paths, and a line in braces is JSON")
    func others() async throws {
        #expect(try await items("src\tid\na,b.jpg\t1\n").map(\.shown) == ["1"])
        let lines = "https://x.test/a.jpg\r\n  \nb c.jpg\n{\"src\":\"d.jpg\"}\n"
        #expect(try await items(lines).map(\.shown) == ["https://x.test/a.jpg", "b c.jpg", "d.jpg"])
        #expect(try await items("{a}.jpg\n", "list.txt").map(\.shown) == ["{a}.jpg"])
        #expect(try await items("url,id\na.jpg,1\n", "list.txt").map(\.shown) == ["url,id", "a.jpg,1"])
    }

    @Test("Columns may have other names; a table without addresses is refused")
    func columns() async throws {
        let columns = try #require(ManifestColumns(parsing: "url=Image URL,id=key,caption=text"))
        let item = try #require(
            try await items("key,Image URL,text,url\n7,a.jpg,A dog,x\n", columns: columns).first?.item)
        #expect(item.id == "7" && item.source == .file("a.jpg") && item.caption == "A dog")
        #expect(item.columns.map(\.name) == ["url"])
        let error = await asyncBatchError { try await items("a,b\n1,2\n", "list.csv") }
        #expect(error?.kind == .usage && error?.reason.contains("--columns url=NAME") == true)
        let invalid = ["", "url", "url=", "size=x", "url=a,,id=b", "id=a,id=b", "url=a,src=b"]
        #expect(invalid.allSatisfy { ManifestColumns(parsing: $0) == nil })
    }

    @Test("Other columns of a table are carried, whatever a JSON line means by their names")
    func carried() async throws {
        let names = ["size", "sizes", "name", "thumbnail", "renditions", "license", "Focus", "src"]
        let table = "url,\(names.joined(separator: ","))\na.jpg,\(names.joined(separator: ","))\n,x,x,x,x,x,x,x,x\n"
        let items = try await items(table)
        let item = try #require(items.first?.item)
        #expect(item.columns.map(\.name) == names && item.source == .file("a.jpg"))
        #expect(item.sizes.isEmpty && item.template == nil && item.rights == ItemReport.Rights())
        #expect(items[1].failure?.message == "line 3: no \"url\"")
        let both = #"{"src":"a.jpg","url":"b.jpg","caption":["x"],"size":"9"}"#
        let line = try #require(try await self.items(both).first?.item)
        #expect(line.source == .file("b.jpg") && line.columns.map(\.name) == ["src", "caption"] && !line.sizes.isEmpty)
    }

    @Test("A focus counts where images are cropped, in any case, under the name that the user gives")
    func focus() async throws {
        let columns = try #require(ManifestColumns(parsing: "focus=keep"))
        let table = "url,keep\na.jpg,Attention\nb.jpg,left\n"
        let cropped = try await items(table, columns: columns, fit: .cover)
        #expect(cropped[0].item?.focus == .attention && cropped[0].item?.columns == [])
        #expect(cropped[1].failure?.message.contains("\"keep\" is invalid") == true)
        let whole = try await items(table, columns: columns).compactMap(\.item)
        #expect(whole.map(\.focus) == [nil, nil] && whole.flatMap(\.columns).map(\.name) == ["keep", "keep"])
    }

    @Test(
        "A header without a column that the user names, or with two of one name, is refused",
        arguments: [
            ("caption=text", "url,id\n", "has no column 'text'; it has 'url, id'"),
            ("id=KEY", "url,id\n", "has no column 'KEY'; it has 'url, id'"),
            ("focus=keep", "url,id\n", "has no column 'keep'; it has 'url, id'"),
            ("id=KEY", "url,KEY,x,x\n", "has two columns 'x'"), ("url=u", "u,ID,id,Id,id\n", "has two columns 'id'"),
            (
                "id=ImageID", "url, imageid\n",
                "has a column ' imageid'; write no spaces beside the names and values of a table"
            ),
            (
                "caption=text", "url, ID,text\n",
                "has a column ' ID'; write no spaces beside the names and values of a table"
            ),
        ])
    func header(_ columns: String, _ header: String, _ reason: String) async throws {
        let columns = try #require(ManifestColumns(parsing: columns))
        let error = await asyncBatchError { try await items(header, "list.csv", columns: columns) }
        #expect(error?.kind == .usage && error?.reason.hasSuffix(reason) == true, "\(String(describing: error))")
    }

    @Test("A name with a space inside is another name")
    func innerSpace() async throws {
        let columns = try #require(ManifestColumns(parsing: "caption=filename"))
        let found = try await items("url,file name,filename\na.jpg,b,c\n", columns: columns)
        #expect(found[0].item?.caption == "c" && found[0].item?.columns.map(\.name) == ["file name"])
    }

    @Test("Errors of a line name its columns as the user does")
    func renamed() async throws {
        let columns = try #require(ManifestColumns(parsing: "url=image,id=key"))
        let long = String(repeating: "a", count: ManifestLine.idLimit + 1)
        let lines = [
            #"{"image":"a.jpg","key":[]}"#, #"{"image":7}"#, #"{"key":"x"}"#, #"{"thumbnail":"http://x.test/"}"#,
            #"{"image":"\#(long)"}"#,
        ]
        let reasons = try await items(lines.joined(separator: "\n"), columns: columns).map { $0.failure?.reason }
        let expected = [
            "\"key\" is not a string or number", "\"image\" is not a string", "no \"image\"", "no \"key\"",
            "\"image\" has more than 4096 bytes; add an \"key\"",
        ]
        #expect(reasons == expected.enumerated().map { "line \($0 + 1): \($1)" })
    }

    @Test("Names of columns match in any case, unless the header has both")
    func cases() async throws {
        let table = "URL,Id,CAPTION,Label,SUM\na.jpg,7,A dog,x,\(String(repeating: "0", count: 64))\n"
        var columns = ManifestColumns()
        columns.hash = "sum"
        for name in ["list.csv", "list"] {
            let item = try #require(try await items(table, name, columns: columns).first?.item)
            #expect(item.source == .file("a.jpg") && item.id == "7" && item.caption == "A dog")
            #expect(item.expectedHash != nil && item.columns.map(\.name) == ["Label", "sum"])
        }
        let both = try #require(try await items("url,URL,id\na.jpg,b.jpg,1\n", "list.csv").first?.item)
        #expect(both.source == .file("a.jpg") && both.columns.map(\.name) == ["URL"])
        let named = try #require(ManifestColumns(parsing: "url=image"))
        #expect(try await items("Image,ID\na.jpg,1\n", columns: named).map(\.shown) == ["1"])
    }

    @Test("Excel's tables are read: semicolons or tabs in a CSV, and a byte order mark")
    func excel() async throws {
        for delimiter in [";", "\t"] {
            let table = ["\u{FEFF}url", "id\r\n\"a, b.jpg\"", "1\r\n"].joined(separator: delimiter)
            for name in ["list.csv", "list"] {
                let item = try #require(try await items(table, name).first?.item)
                #expect(item.source == .file("a, b.jpg") && item.id == "1", "\(name)")
            }
        }
    }

    @Test("Lines may end in carriage returns alone, also between two reads")
    func carriageReturns() async throws {
        #expect(try await items("url,id\ra.jpg,1\r\"b.jpg\",2", "list.csv").map(\.shown) == ["1", "2"])
        #expect(try await items("a.jpg\rb.jpg\r").map(\.shown) == ["a.jpg", "b.jpg"])
        // A window of the reader ends at the first line end.
        let start = String(repeating: "x", count: (64 << 10) - 4)
        for (lineEnd, count) in [("\r", 3), ("\r\n", 3), ("\n", 3)] {
            let text = ["url,\(start.dropFirst())", "a.jpg,1", "b.jpg,2", "c.jpg,3"].joined(separator: lineEnd)
            #expect(try await items(text, "list.csv").count == count)
        }
        #expect(try await items("url,id\r\n\"a\rb.jpg\",1\r\n", "list.csv").map(\.shown) == ["1"])
    }

    @Test(
        "A binary file and a JSON array are refused by their kind",
        arguments: [
            ("x.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D], "an image, not a list"),
            ("x.csv", [0x50, 0x4B, 3, 4, 0x14, 0, 6, 0], "a ZIP archive, not a list"),
            ("list", [0x50, 0x41, 0x52, 0x31, 0x15, 0, 0x0A], "an unknown file format, not a list"),
            ("x.csv", [0xFF, 0xFE, 0x75, 0, 0x72, 0, 0x0A, 0], "UTF-16 text; save it as UTF-8"),
            ("x.json", Array("[\n  { \"url\": \"a\" } ]\n".utf8), "a JSON array; write one object per line"),
        ] as [(String, [UInt8], String)])
    func binary(_ name: String, _ bytes: [UInt8], _ reason: String) async throws {
        try folder.write(name, bytes)
        let feed = try ManifestFeed(path: folder.path(name), .sample("320"))
        let error = await asyncBatchError { try await feed.all() }
        #expect(error?.kind == .usage && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("Lines that each open a quote cost two looks each, however many there are", .timeLimit(.minutes(5)))
    func openQuotes() async throws {
        let count = 50_000
        let lines = String(repeating: "a\",\"b\n", count: count)
        let items = try await items("url\n\(lines)\"c\n.jpg\"\nd.jpg\n", "list.csv")
        #expect(items.count == count + 2)
        #expect(items.suffix(2).map(\.item?.source) == [.file("c\n.jpg"), .file("d.jpg")])
    }

    @Test("A bad record costs one item, also one whose quote is not closed")
    func hostile() async throws {
        let text = """
            url,id
            "a.jpg
            b.jpg",x
            one.jpg,1
            "two.jpg"?,2
            three.jpg
            nul\u{0}.jpg,4
            "five.jpg,5
            six.jpg,6
            seven.jpg,7
            """
        let shown = try await items(text, "list.csv").map(\.shown)
        #expect(shown == ["x", "1", "line 5: input", "line 6: input", "4", "line 8: input", "6", "7"])
        let long = String(repeating: "y", count: LineReader.maxLength + 1)
        let after = try await items("url\n\"a\n\(long)\nb.jpg\n", "list.csv").map(\.shown)
        #expect(after == ["line 2: input", "line 3: input", "b.jpg"])
        let lines = String(repeating: "c.jpg\n", count: TableRecord.maxLines)
        #expect(try await items("url\n\"a\n\(lines)", "list.csv").count == TableRecord.maxLines + 1)
    }

    @Test("A SHA-256 column must hold one")
    func hashes() async throws {
        var columns = ManifestColumns()
        columns.hash = "sum"
        let sum = String(repeating: "0aB1", count: 16)
        let items = try await items("url,sum\na.jpg,\(sum)\nb.jpg,\nc.jpg,\(sum)0\n", columns: columns)
        #expect(items.map(\.shown) == ["a.jpg", "b.jpg: input", "c.jpg: input"])
        #expect(items[0].item?.expectedHash == sum.lowercased())
    }

    /// `a.jpg` and a line break, as gzip writes it.
    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B, 0xD4, 0xCB, 0x2A, 0x48, 0xE7, 0x02, 0x00,
    ]

    @Test("Compressed lists are read, member after member; damaged ones end the run")
    func compressed() async throws {
        let whole = Self.compressed + Self.end
        try folder.write("list.gz", whole + whole + [0, 0, 0])
        let feed = try ManifestFeed(path: folder.path("list.gz"), .sample("320"))
        #expect(try await feed.all().map(\.shown) == ["a.jpg", "a.jpg"])
        for bytes in [
            Array(whole.dropLast(3)), whole.dropLast() + [0xFF], Array(whole.prefix(2)), whole + [0x41],
            whole + [0, 0] + whole,
        ] {
            try folder.write("cut.gz", bytes)
            let feed = try ManifestFeed(path: folder.path("cut.gz"), .sample("320"))
            #expect(await asyncBatchError { try await feed.all() }?.kind == .unavailable)
        }
    }

    /// The checksum and the length.
    private static let end: [UInt8] = [0x70, 0x87, 0x98, 0xC6, 0x06, 0x00, 0x00, 0x00]
}
