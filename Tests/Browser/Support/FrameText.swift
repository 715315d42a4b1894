import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

/// A readable frame: its text, then the role of every cell's style.
struct FrameText {
    private static let letters: [ThemeRole: Character] = [
        .text: ".", .title: "T", .dim: "d", .accent: "a", .selected: "S", .key: "k", .placeholder: "p", .field: "f",
        .error: "E", .warning: "W", .good: "G", .match: "m",
    ]
    /// A style without a role: an image.
    private static let picture: Character = "#"

    let text: String

    init(_ grid: CellGrid, styles: ThemeStyles) {
        let size = grid.size
        var lines = ["\(size) \(grid.cursor.map { "cursor \($0.column),\($0.row)" } ?? "no cursor")"]
        lines += (0..<size.rows).map { "|" + Self.pictureless(grid, row: $0, styles) }
        if styles != .plain {
            lines += (0..<size.rows).map { row in
                "'" + String((0..<size.columns).map { Self.letter(grid, $0, row, styles) }).trimmed
            }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func letter(_ grid: CellGrid, _ column: Int, _ row: Int, _ styles: ThemeStyles) -> Character {
        var style = grid.style(at: CellPosition(column: column, row: row))
        // A selected name has the colours of its role, swapped.
        style.attributes.remove(.reverse)
        if style == .plain { return " " }
        let role = ThemeRole.allCases.first { styles[$0] == style }
        return role.flatMap { letters[$0] } ?? picture
    }

    /// The text of a row, with `#` for image cells.
    private static func pictureless(_ grid: CellGrid, row: Int, _ styles: ThemeStyles) -> String {
        var text = ""
        for column in 0..<grid.size.columns {
            let cell = grid.cells[row * grid.size.columns + column]
            let isPicture = styles != .plain && letter(grid, column, row, styles) == picture
            text += isPicture ? "#" : grid.string(of: cell)
        }
        return text.trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension CellGrid {
    /// Rows with half a wide character.
    var brokenRows: [Int] {
        (0..<size.rows).filter { row in
            var column = 0
            while column < size.columns {
                let cell = cells[row * size.columns + column]
                if cell.isContinuation { return true }
                let width = string(of: cell).first.map(CharacterWidth.of) ?? 0
                guard width > 0, column + width <= size.columns else { return true }
                for half in 1..<max(width, 1) where !cells[row * size.columns + column + half].isContinuation {
                    return true
                }
                column += width
            }
            return false
        }
    }
}

/// A stored text that test results are compared with.
///
/// `SPYGLASS_RENEW_FRAMES=1` rewrites the files; review the difference before committing.
enum GoldenFile {
    private static let folder = "\(TestData.root)/Tests/Browser/Frames"

    static func expect(_ text: String, name: String) throws {
        let path = "\(folder)/\(name).txt"
        if getenv("SPYGLASS_RENEW_FRAMES") != nil {
            try write(text, to: path)
            return
        }
        let wanted = String(decoding: TestData.bytes(of: path), as: UTF8.self)
        guard wanted != text else { return }
        let drawn = "/tmp/spyglass-frames-\(getpid())"
        mkdir(drawn, 0o755)
        try write(text, to: "\(drawn)/\(name).txt")
        Issue.record("\(name) has changed; it is now \(drawn)/\(name).txt\n\(difference(wanted, text))")
    }

    /// The first different lines.
    private static func difference(_ wanted: String, _ drawn: String) -> String {
        let old = wanted.split(separator: "\n", omittingEmptySubsequences: false)
        let new = drawn.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [String] = []
        for at in 0..<max(old.count, new.count) where lines.count < 40 {
            let one = at < old.count ? old[at] : ""
            let other = at < new.count ? new[at] : ""
            if one != other { lines += ["\(at + 1) - \(one)", "\(at + 1) + \(other)"] }
        }
        return lines.joined(separator: "\n")
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"), "cannot write \(path)")
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
