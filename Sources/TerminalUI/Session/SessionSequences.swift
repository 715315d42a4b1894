/// What a full-screen program asks of a terminal, and how each of it is taken back.
enum SessionSequences {
    /// Presses, releases and the wheel (1000), in decimal (1006).
    ///
    /// Not 1002: it sends every cell that a drag crosses, over any line.
    static let mouseOn: StaticString = "\u{1B}[?1000h\u{1B}[?1006h"
    /// No reports of the mouse.
    static let mouseOff: StaticString = "\u{1B}[?1006l\u{1B}[?1000l"
    /// Asks for the status (DSR); the answer says that everything before has been read.
    static let statusRequest: StaticString = "\u{1B}[5n"

    /// The alternate screen, which saves the cursor and clears (1049); no wrapping; no cursor; brackets around what is pasted.
    ///
    /// Kitty's flags last: the screens have a stack each. What an earlier program left there goes first, also of this one after SIGSTOP.
    private static let common: StaticString =
        "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[?2004h\u{1B}[<u\u{1B}[>1u"

    /// Puts everything back, whatever came before and wherever that was cut.
    ///
    /// CAN breaks off a sequence; ST ends a string on terminals that do not stop it at CAN, and is nothing elsewhere. Then the frame (2026),
    /// so that the rest is seen; the scroll region, which moves the cursor, before 1049 puts it back; the keyboard's flags while the screen
    /// that has them is still there.
    static let leaving: StaticString = """
        \u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[r\u{1B}[0m\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2004l\u{1B}[<u\
        \u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l
        """

    /// What takes the terminal over.
    static func entering(usesMouse: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(common)
        if usesMouse { bytes.append(mouseOn) }
        return bytes
    }
}
