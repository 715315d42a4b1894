/// Kitty's commands for transmitted images (graphics-protocol.rst).
///
///     bytes += KittyCommands().placement(of: 7)
///
/// They request no reply and do not move the cursor. Never send one between the chunks of an image.
struct KittyCommands {
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false

    /// Draws an image at the cursor, stretched to a box of cells, or without scaling.
    ///
    /// Each placement of an image has a number, from 1; an existing placement is moved.
    func placement(of id: UInt32, _ placement: UInt32 = 1, stretchedTo cells: CellSize? = nil) -> [UInt8] {
        command("a=p,i=\(id),p=\(placement),C=1\(KittyGraphics.keys(cells)),q=2")
    }

    /// Removes one of an image's placements from the screen; the terminal keeps the image.
    func removal(of id: UInt32, _ placement: UInt32) -> [UInt8] { command("a=d,d=i,i=\(id),p=\(placement),q=2") }

    /// Removes all placements from the screen.
    var removalOfAll: [UInt8] { command("a=d,d=a,q=2") }

    /// Deletes an image and its placements.
    func deletion(of id: UInt32) -> [UInt8] { command("a=d,d=I,i=\(id),q=2") }

    /// Ends an incomplete transmission: the terminal drops the image.
    var end: [UInt8] { command("q=2,m=0;") }

    private func command(_ keys: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(.kittyGraphics, keys, isInsideTmux: isInsideTmux)
        return bytes
    }
}
