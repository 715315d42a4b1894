/// The bytes that sequences are made of, by their names in ECMA-48.
enum ControlByte {
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
    /// What parameters and intermediate bytes of a control sequence are made of (section 5.4).
    static let parameters: ClosedRange<UInt8> = 0x20...0x3F
    /// What ends a control sequence.
    static let finals: ClosedRange<UInt8> = 0x40...0x7E
}
