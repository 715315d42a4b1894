import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("ValueParser", .timeLimit(.minutes(10)))
struct ValuesTests {
    /// The options after one option, or its error.
    private func outcome(_ option: String, _ value: String) -> Result<Options, Failure> {
        do {
            return .success(try Line(["list", "\(option)=\(value)"]).run().options)
        } catch {
            return .failure(error as? Failure ?? Failure(.internalError, "\(error)"))
        }
    }

    private func accepted(_ option: String, _ value: String) throws -> Options { try outcome(option, value).get() }

    private func isRefused(_ option: String, _ value: String) -> Bool {
        guard case .failure(let failure) = outcome(option, value) else { return false }
        return failure.code == .usage && failure.message.hasPrefix("\(option) ")
    }

    @Test(
        "Sizes: K M G are powers of 1,000, KiB MiB GiB of 1,024",
        arguments: [
            ("1", 1), ("1000", 1000), ("1K", 1000), ("2M", 2_000_000), ("3G", 3_000_000_000), ("1KiB", 1024),
            ("64MiB", 64 << 20), ("2GiB", 2 << 30),
        ])
    func sizes(text: String, bytes: Int) throws {
        #expect(try accepted("--max-bytes", text).limits.bodyBytes == bytes)
    }

    @Test("Counts take K, M and G", arguments: [("100M", 100_000_000), ("1G", 1_000_000_000), ("65535", 65_535)])
    func counts(text: String, number: Int) throws {
        #expect(try accepted("--max-pixels", text).limits.pixels == number)
    }

    @Test("Cells", arguments: [("80x24", 80, 24), ("1x1", 1, 1), ("1000x1000", 1000, 1000)])
    func cells(text: String, columns: Int, rows: Int) throws {
        let box = try #require(try accepted("--cells", text).cells)
        #expect(box.columns == columns && box.rows == rows && box.description == text)
    }

    @Test("Cells with a free side take it from another size")
    func freeCells() throws {
        let screen = CellSize(clamping: 100, 30)
        let filled = try ["80x", "80", "x40"].map { try accepted("--cells", $0).cells?.filled(from: screen) }
        #expect(filled == [CellSize(clamping: 80, 30), CellSize(clamping: 80, 30), CellSize(clamping: 100, 40)])
    }

    @Test(
        "A background",
        arguments: [
            ("#000000", RGB(0, 0, 0)), ("#1e1e2E", RGB(0x1e, 0x1e, 0x2e)), ("#ffffff", RGB(255, 255, 255)),
            ("#1eF", RGB(0x11, 0xee, 0xff)), ("black", RGB(0, 0, 0)), ("white", RGB(255, 255, 255)),
        ])
    func background(text: String, value: RGB) throws {
        #expect(try accepted("--background", text).background == value)
    }

    @Test(
        "Years, media types and limits of results",
        arguments: [
            ("year", "1969", ["1969"]), ("year", "1969-1972", ["1969-1972"]),
            ("media", "video,audio", ["video", "audio"]),
        ])
    func filters(name: String, text: String, values: [String]) throws {
        #expect(try accepted("--\(name)", text).query([], in: .nasa)[name] == values)
    }

    @Test("Limits of results", arguments: [("1", 1), ("1000000", 1_000_000), ("all", .max)])
    func limits(text: String, limit: Int) throws { #expect(try accepted("--limit", text).limit == limit) }

    @Test(
        "Invalid values are errors that name the option",
        arguments: [
            (
                "--max-bytes",
                [
                    "0", "-1", "+1", " 1", "1 ", "1.5G", "1k", "1kb", "1KB", "K", "1KK", "0x10", "٣", "1e3", "2000GiB",
                    "9223372036854775807", "9223372036854775808", "9223372036854775807G",
                    "99999999999999999999999999999",
                ]
            ),
            ("--max-pixels", ["0", "1MiB", "M", "1m", "2000G", "9999999999999999999G"]),
            (
                "--cells",
                [
                    "0", "1001", "x", "0x", "x0", "xx24", "80xx", "1001x", "0x24", "80x0", "80X24", "80x24x2", "1001x1",
                    "-1x5", "8 x2",
                ]
            ),
            (
                "--background",
                ["000000", "#ff", "#ffg", "#1é", "#gggggg", "#+12345", "Black", "#1234567", "#12345é"]
            ),
            ("--year", ["69", "1972-1969", "1969-", "-1972", "1969-1970-1971", "19690", "196a"]),
            ("--limit", ["0", "1000001", "ALL", "-5", "5.0", "many"]), ("--media", ["film", "image,"]),
        ])
    func invalid(option: String, values: [String]) {
        for value in values { #expect(isRefused(option, value), "\(value)") }
    }

    @Test(
        "Numbers outside their range are errors",
        arguments: [("--connections", 1, 256), ("--retries", 0, 10), ("--timeout", 1, 86_400)])
    func ranges(option: String, low: Int, high: Int) throws {
        _ = try accepted(option, "\(low)")
        _ = try accepted(option, "\(high)")
        #expect(isRefused(option, "\(low - 1)") && isRefused(option, "\(high + 1)"))
    }

    @Test("A user agent cannot carry another header field")
    func userAgent() throws {
        #expect(try accepted("--user-agent", "Me/1.0").userAgent == "Me/1.0")
        #expect(isRefused("--user-agent", "a\r\nCookie: b") && isRefused("--user-agent", "é"))
    }

    @Test("An endpoint is an http or https address")
    func endpoint() throws {
        #expect(try accepted("--endpoint", "http://127.0.0.1:8000").endpoint?.host == "127.0.0.1")
        #expect(
            outcome("--endpoint", "example.org")
                == .failure(.usage("--endpoint: 'example.org': not an http or https address")))
    }

    @Test("A password in an endpoint is never printed")
    func password() {
        let address = "https://me:hush@example.org/"
        let reason = "addresses with a user name or password are not allowed"
        #expect(outcome("--endpoint", address) == .failure(.usage("--endpoint: \(reason)")))
        let line = Line(["list"], environment: ["SPYGLASS_ENDPOINT": address])
        #expect(line.failure() == .usage("SPYGLASS_ENDPOINT: \(reason)"))
    }

    @Test(
        "A number is printed with the largest unit that divides it",
        arguments: [
            (100_000_000, "100M"), (64 << 20, "64MiB"), (65_535, "65535"), (1 << 30, "1GiB"), (1_000, "1K"), (0, "0"),
        ])
    func scaled(number: Int, text: String) throws {
        #expect(ValueText.scaled(number) == text)
        #expect(try ValueParser.size(0...Int.max).parse(text) == number)
    }

    @Test(
        "Numbers are grouped by thousands",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (34_684, "34,684"), (-1_234_567, "-1,234,567")])
    func grouping(number: Int, text: String) { #expect(ValueText.grouped(number) == text) }
}
