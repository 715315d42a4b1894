/// An event from a terminal: a key, the mouse, pasted text, or a reply to a query.
@nonexhaustive
public enum InputEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(Key)
    /// A mouse event.
    case mouse(MouseEvent)
    /// Text was pasted in brackets (DEC 2004), possibly truncated to a limit.
    case paste(String)
    /// A reply of the terminal.
    case reply(TerminalReply)
}

/// The bytes that sequences are made of, by their names in ECMA-48.
enum ControlByte {
    /// Ctrl-C.
    static let endOfText: UInt8 = 0x03
    static let bell: UInt8 = 0x07
    static let backspace: UInt8 = 0x08
    static let tab: UInt8 = 0x09
    static let carriageReturn: UInt8 = 0x0D
    static let cancel: UInt8 = 0x18
    static let substitute: UInt8 = 0x1A
    static let escape: UInt8 = 0x1B
    static let delete: UInt8 = 0x7F
    /// C0: everything below the space.
    static let controls: ClosedRange<UInt8> = 0x00...0x1F
    /// Parameters and intermediate bytes of a control sequence (section 5.4).
    static let parameters: ClosedRange<UInt8> = 0x20...0x3F
    static let finals: ClosedRange<UInt8> = 0x40...0x7E
}
