/// The numbers and letters by which terminals name keys.
extension Key.Code {
    /// The key of a final byte (xterm's ctlseqs, "PC-Style Function Keys").
    ///
    /// `R`, which xterm sends for F3, is left out: with parameters it is the cursor's position, an answer.
    init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "A"): self = .up
        case UInt8(ascii: "B"): self = .down
        case UInt8(ascii: "C"): self = .right
        case UInt8(ascii: "D"): self = .left
        case UInt8(ascii: "F"): self = .end
        case UInt8(ascii: "H"): self = .home
        case UInt8(ascii: "P"): self = .function(1)
        case UInt8(ascii: "Q"): self = .function(2)
        case UInt8(ascii: "R"): self = .function(3)
        case UInt8(ascii: "S"): self = .function(4)
        default: return nil
        }
    }

    /// The key of the number before a tilde: the VT220's, with rxvt's 7 and 8 and xterm's F1 to F4.
    init?(number: Int) {
        switch number {
        case 1, 7: self = .home
        case 2: self = .insert
        case 3: self = .delete
        case 4, 8: self = .end
        case 5: self = .pageUp
        case 6: self = .pageDown
        case 11...15: self = .function(number - 10)
        case 17...21: self = .function(number - 11)
        case 23...26: self = .function(number - 12)
        case 28, 29: self = .function(number - 13)
        case 31...34: self = .function(number - 14)
        default: return nil
        }
    }

    /// The key of a code of kitty's protocol: a scalar, a control character's key, or a number of the private use area
    /// ("Functional key definitions"); `nil` for those that do nothing here, such as volume and the modifiers themselves.
    init?(kitty code: Int) {
        switch code {
        case 9: self = .tab
        case 13, 57414: self = .enter
        case 27: self = .escape
        case 8, 127: self = .backspace
        case 57376...57398: self = .function(code - 57376 + 13)
        case 57399...57408: self = .character(Character(Unicode.Scalar(UInt8(code - 57399) + UInt8(ascii: "0"))))
        case 57409: self = .character(".")
        case 57410: self = .character("/")
        case 57411: self = .character("*")
        case 57412: self = .character("-")
        case 57413: self = .character("+")
        case 57415: self = .character("=")
        case 57416: self = .character(",")
        case 57417: self = .left
        case 57418: self = .right
        case 57419: self = .up
        case 57420: self = .down
        case 57421: self = .pageUp
        case 57422: self = .pageDown
        case 57423: self = .home
        case 57424: self = .end
        case 57425: self = .insert
        case 57426: self = .delete
        case 0xE000...0xF8FF: return nil
        default:
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init),
                scalar.properties.generalCategory != .control
            else { return nil }
            self = .character(Character(scalar))
        }
    }
}
