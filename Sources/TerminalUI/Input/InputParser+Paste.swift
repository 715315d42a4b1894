/// Pasted text (DEC mode 2004).
extension InputParser {
    mutating func takePasted(_ byte: UInt8, _ events: inout [InputEvent]) {
        guard let text = paste.take(byte) else { return }
        reset()
        events.append(.paste(text))
    }
}
