/// An image as the bytes of a pixel protocol, which a painter sends and places.
///
/// Payloads are equal if their ids are.
public struct PixelPayload: Sendable {
    /// How the terminal is told to draw it.
    enum Kind: Hashable, Sendable {
        /// Kitty: sent once, placed by id.
        case kittyPlacement
        /// Kitty: sent once, drawn by characters (U+10EEEE) that scroll and clip as text.
        case kittyPlaceholders
        /// iTerm2 and sixel: sent where it is drawn, each time.
        case inline
    }

    /// Identifies the image in this process and in the terminal, from 1.
    let id: UInt32
    let kind: Kind
    /// The transmission of kitty, or what draws an inline image at the cursor.
    let bytes: [UInt8]
}

extension PixelPayload: Hashable {
    /// Returns whether both are the same image.
    public static func == (one: PixelPayload, other: PixelPayload) -> Bool { one.id == other.id }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
