/// What comes from a terminal: keys, the mouse, pasted text, and answers to what it was asked.
public enum InputEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(Key)
    /// The mouse did something.
    case mouse(MouseEvent)
    /// Text was pasted in brackets (DEC 2004), as it came; it may be cut at a limit.
    case paste(String)
    /// The terminal answered.
    case reply(TerminalReply)
}

/// A key with what is held down beside it.
public struct Key: Hashable, Sendable {
    /// Which key.
    public enum Code: Hashable, Sendable {
        /// A character, as typed: with Shift it is the upper-case letter.
        case character(Character)
        /// Return, on the main block or the number block.
        case enter
        /// Escape.
        case escape
        /// Tab; with Shift also as `CSI Z`.
        case tab
        /// The key left of the digits' end, sent as DEL or BS.
        case backspace
        /// Delete.
        case delete
        /// Insert.
        case insert
        /// Arrows.
        case up, down, left, right
        /// The block above the arrows.
        case home, end, pageUp, pageDown
        /// F1 to F35.
        case function(Int)
    }

    /// What is held down.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// The bits, as kitty's protocol and xterm number them less one.
        public let rawValue: UInt8
        /// Shift, where it does not make another character.
        public static let shift = Modifiers(rawValue: 1)
        /// Alt, also sent as an escape before the key.
        public static let alt = Modifiers(rawValue: 2)
        /// Control.
        public static let control = Modifiers(rawValue: 4)

        /// Modifiers from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// Which key.
    public var code: Code
    /// What is held down beside it.
    public var modifiers: Modifiers

    /// A key.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }
}

/// Something that the mouse did, at a cell counted from 0.
public struct MouseEvent: Hashable, Sendable {
    /// What it did.
    public enum Kind: Hashable, Sendable {
        /// A button went down.
        case press(Button)
        /// A button went up.
        case release(Button)
        /// It moved while a button was down.
        case drag(Button)
        /// The wheel turned one step.
        case wheelUp, wheelDown, wheelLeft, wheelRight
    }

    /// Which button.
    public enum Button: Hashable, Sendable {
        /// The one under the index finger.
        case left
        /// The wheel.
        case middle
        /// The other one.
        case right
    }

    /// What it did.
    public var kind: Kind
    /// Where.
    public var position: CellPosition
    /// Which keys were held down.
    public var modifiers: Key.Modifiers

    /// An event.
    public init(_ kind: Kind, at position: CellPosition, _ modifiers: Key.Modifiers = []) {
        self.kind = kind
        self.position = position
        self.modifiers = modifiers
    }
}

/// What a terminal answered.
public enum TerminalReply: Hashable, Sendable {
    /// It is alive: everything sent before has been read (`CSI 0 n`).
    case status
    /// Its background colour (OSC 11).
    case background(RGB)
    /// A cell in pixels (`CSI 6 ; height ; width t`).
    case cellPixels(width: Int, height: Int)
    /// Whether it kept a 24-bit colour that was set (DECRQSS).
    case truecolor(Bool)
    /// Its attributes (DA1): it has answered, or will not answer, what was asked before.
    case attributes([Int])
    /// The keyboard flags that are on (kitty's protocol, `CSI ? flags u`).
    case keyboard(Int)
    /// Something else that is no key.
    case other
}
