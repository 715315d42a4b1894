import SpyglassPixels
import SpyglassTestSupport

@testable import SpyglassTerminalUI

extension TerminalModel {
    /// A terminal with this module's character widths, which also draws the symbols that divide a cell.
    init(size: CellSize) {
        self.init(columns: size.columns, rows: size.rows) { character in
            character.unicodeScalars.first.flatMap { SymbolShape($0) } != nil ? 1 : CharacterWidth.of(character)
        }
    }

    /// The first difference between the screen and a grid, or `nil`.
    func difference(from grid: CellGrid, usesColor: Bool = true, usesPlaceholders: Bool = true) -> String? {
        if let fault = faults.first { return "fault: \(fault)" }
        guard columns == grid.size.columns, rows == grid.size.rows else { return "another size" }
        let cursor = grid.cursor.flatMap { grid.area.contains($0) ? $0 : nil }
        if isCursorShown != (cursor != nil) { return "the cursor is shown: \(isCursorShown)" }
        if let cursor, (cursor.row, cursor.column) != self.cursor { return "the cursor is at \(self.cursor)" }
        let pixels = grid.pixelCells(usesPlaceholders: usesPlaceholders)
        for (at, wanted) in grid.cells.enumerated() {
            let shown = cells[at]
            let part = self.part(column: at % columns, row: at / columns)
            guard part == pixels[at] else {
                return
                    "column \(at % columns), row \(at / columns): \(String(describing: part)), not \(String(describing: pixels[at]))"
            }
            if part != nil { continue }
            let wanted = grid.appearance(of: wanted)
            let text = grid.string(of: wanted)
            let isSame = shown.text == text && (usesColor ? shown.look.isLike(wanted) : shown.look == .plain)
            guard isSame || (wanted.isContinuation && shown.text.isEmpty) else {
                let place = "column \(at % columns), row \(at / columns)"
                return "\(place): \(shown) instead of \(text.debugDescription) \(wanted.style)"
            }
        }
        return nil
    }
}

extension TerminalModel.Look {
    /// Whether a cell looks like this.
    fileprivate func isLike(_ cell: Cell) -> Bool {
        let attributes = cell.style.attributes
        guard background == TerminalModel.Color(cell.style.background), isUnderlined == attributes.contains(.underline),
            isReversed == attributes.contains(.reverse)
        else { return false }
        if cell.isBare { return true }
        return foreground == TerminalModel.Color(cell.style.foreground) && isBold == attributes.contains(.bold)
            && isDim == attributes.contains(.dim)
    }
}

extension TerminalModel.Color {
    fileprivate init(_ color: CellColor) {
        if let channels = color.channels {
            self = .rgb(channels.red, channels.green, channels.blue)
        } else if let index = color.paletteIndex {
            self = .palette(Int(index))
        } else {
            self = .terminalDefault
        }
    }
}

extension CellGrid {
    /// What each cell shows of a picture in pixels, if the terminal has all of them; an inline one not in the last row.
    fileprivate func pixelCells(usesPlaceholders: Bool) -> [Int: TerminalModel.Part] {
        var cellsOf: [Placement: [Int]] = [:]
        for at in cells.indices where cells[at].isPlaced {
            cellsOf[Placement(of: cells[at], column: at % size.columns, row: at / size.columns), default: []].append(at)
        }
        var parts: [Int: TerminalModel.Part] = [:]
        for (placement, cells) in cellsOf {
            guard let payload = pictures[placement.number]?.payload else { continue }
            switch payload.kind {
            case .kittyPlaceholders: guard usesPlaceholders else { continue }
            case .kittyPlacement: break
            case .inline: guard cells.allSatisfy({ $0 / size.columns < size.rows - 1 }) else { continue }
            }
            for at in cells {
                let cell = self.cells[at]
                parts[at] = TerminalModel.Part(
                    name: payload.modelName, row: cell.placedRow, column: cell.placedColumn)
            }
        }
        return parts
    }
}

extension PixelPayload {
    /// The payload of a picture that `TerminalModel` reads, in chunks of 60 characters.
    init(
        _ kind: Kind, number: Int, columns: Int, rows: Int, length: Int = 150, memory: Int? = nil,
        isStretched: Bool = false
    ) {
        let data = ModelPicture(number, length: length).data
        let width = columns * TerminalModel.cell.width
        let height = rows * TerminalModel.cell.height
        // The model reads the part's first column and row in place of the aspect ratio.
        let part: @Sendable (PixelArea) -> [UInt8] = { part in
            let (column, row) = (part.x / TerminalModel.cell.width, part.y / TerminalModel.cell.height)
            return Array("\u{1B}Pq\"\(column);\(row);\(part.size.width);\(part.size.height)#\(data)\u{1B}\\".utf8)
        }
        var bytes: [UInt8] = []
        if kind == .inline {
            bytes = part(PixelArea(of: PixelSize(width: width, height: height)))
        } else {
            var rest = Substring(data)
            var keys = kind == .kittyPlaceholders ? "a=T,U=1,c=\(columns),r=\(rows)" : "a=t"
            keys += ",i=\(Self.idInBytes),f=24,s=\(width),v=\(height),"
            while !rest.isEmpty {
                let chunk = rest.prefix(60)
                rest = rest.dropFirst(60)
                bytes += Array("\u{1B}_G\(keys)q=2,m=\(rest.isEmpty ? 0 : 1);\(chunk)\u{1B}\\".utf8)
                keys = ""
            }
        }
        self.init(
            kind, bytes, size: PixelSize(width: memory.map { $0 / 4 } ?? width, height: memory == nil ? height : 1),
            cell: PixelSize(width: TerminalModel.cell.width, height: TerminalModel.cell.height),
            covering: kind == .inline ? PixelSize(width: width, height: height) : nil, isStretched: isStretched,
            part: part)
    }

    /// The name of the picture in `TerminalModel`.
    var modelName: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let start = text.firstIndex { $0 == ";" || $0 == "#" } ?? text.startIndex
        guard let separator = text[start...].firstRange(of: kind == .inline ? "#T" : ";T") else { return "" }
        return "T" + text[separator.upperBound...].prefix { $0 != "L" }
    }
}
