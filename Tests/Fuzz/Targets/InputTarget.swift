import SpyglassTerminalUI

/// Any terminal input in any chunks: no trap, the same events, and at most one a byte.
enum InputTarget {
    static func run(_ bytes: [UInt8]) {
        var parser = InputParser()
        let whole = parser.parse(bytes)
        expectBounded(whole, of: bytes.count)

        var pieces = InputParser()
        var joined: [InputEvent] = []
        forEachPiece(of: bytes) { joined += pieces.parse($0) }
        precondition(joined == whole, "the events depend on how the bytes were split")
        precondition(pieces.hasPending == parser.hasPending, "what waits depends on how the bytes were split")

        // A timeout may change the events: still at most one a byte, and nothing stays pending.
        var late = InputParser()
        var decided: [InputEvent] = []
        forEachPiece(of: bytes) { piece in
            decided += late.parse(piece) + late.timeOut()
            precondition(!late.hasPending && late.timeOut().isEmpty, "time ran out, and something still waits")
        }
        expectBounded(decided, of: bytes.count)

        // The same while replies are awaited, and a paste ends.
        var awaiting = InputParser()
        var awaited: [InputEvent] = []
        forEachPiece(of: bytes) { piece in
            awaited += awaiting.parse(piece) + awaiting.timeOut(awaitingReply: true)
            if piece.count > 4 { awaited += awaiting.timeOut(awaitingReply: true) }
            if piece.count == 8 { awaited += awaiting.endPaste() }
        }
        _ = awaiting.timeOut(awaitingReply: true) + awaiting.timeOut(awaitingReply: true)
        precondition(!awaiting.hasPending, "time ran out twice, and something still waits")
        expectBounded(awaited, of: bytes.count)
    }

    /// Splits bytes into chunks of one to eight bytes, by their values.
    private static func forEachPiece(of bytes: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        while start < bytes.count {
            let end = min(start + Int(bytes[start] & 7) + 1, bytes.count)
            body(bytes[start..<end])
            start = end
        }
    }

    private static func expectBounded(_ events: [InputEvent], of count: Int) {
        precondition(events.count <= count, "more events than bytes")
        for case .paste(let text) in events {
            // An invalid byte becomes a replacement character of three bytes.
            precondition(text.utf8.count <= 3 * 65_536, "a paste beyond its limit")
        }
    }
}
