internal import SpyglassCatalog
internal import SpyglassPipeline
internal import SpyglassTerminalUI

/// Draws the browser: a pure function of its state.
enum BrowserView {
    /// Draws the screen; about 0.2 ms for a list on 120 by 40 cells.
    static func frame(of state: AppState) -> BrowserFrame {
        let context = RenderContext(state)
        var canvas = canvas(for: state)
        // Only the topmost panel is shown.
        let panel = state.top.isPanel ? state.top : nil
        // A screen reader would mix the text beside a panel with the panel's; a command has its line alone.
        if panel == nil || !canvas.isPlain || state.scope == .command {
            state.baseScreen.feature.draw(context, on: &canvas)
            if panel != nil { canvas.deactivate() }
        }
        panel?.feature.draw(context, on: &canvas)
        HeaderFooter(context: context).draw(on: &canvas)
        var frame = canvas.frame
        frame.grid.urgentImages = state.images.urgent
        return frame
    }

    static func canvas(for state: AppState) -> Canvas {
        Canvas(
            size: state.traits.size, sheet: state.sheet, traits: state.traits,
            isRightToLeft: state.language.isRightToLeft, showsImages: state.options.showsImages)
    }
}

/// The state with the texts and formats of its language, for one frame.
///
/// A class, since every item of a list has it.
final class RenderContext: Sendable {
    let state: AppState
    let strings: UIStrings
    let formatter: PhotoFormatter

    init(_ state: AppState) {
        self.state = state
        strings = UIStrings(state.language)
        formatter = PhotoFormatter(language: state.language)
    }

    var hints: KeyHints { KeyHints(state: state, strings: strings, glyphs: state.traits.glyphs) }

    func name(of source: String) -> String {
        state.options.archiveHolds == nil ? source : "\(source) (\(strings.list.archive))"
    }

    func words(of search: String) -> String { search.isEmpty ? strings.list.everything : search }
    func number(_ number: Int) -> String { formatter.number(number) }

    func picture(of photo: Photo, in geometry: ListGeometry) -> Picture? {
        state.thumbnailKey(of: photo, in: geometry).flatMap { state.images.picture(for: $0) }
    }

    func pixels(_ width: Int, _ height: Int) -> String { "\(number(width)) × \(number(height))" }

    /// Formats a percentage: `150 %`, below ten with one decimal.
    func percent(_ percent: Double) -> String {
        let tenths = Int(min(max(percent, 0), 1e9) * 10 + 0.5)
        return (tenths < 100 ? decimal(tenths) : number((tenths + 5) / 10)) + " %"
    }

    /// Formats a share as whole percents, rounded down: `40 %`.
    func percent(_ part: Int, of whole: Int) -> String { number(Int(Self.share(part, of: whole) * 100)) + " %" }

    static func share(_ part: Int, of whole: Int) -> Double {
        whole > 0 ? min(max(Double(part) / Double(whole), 0), 1) : 0
    }

    /// Formats tenths or hundredths: `2.1`, `12.05`.
    func decimal(_ parts: Int, of unit: Int = 10, keepsZeros: Bool = true) -> String {
        let (whole, fraction) = parts.quotientAndRemainder(dividingBy: unit)
        var digits = "\(unit + fraction)".dropFirst()
        while !keepsZeros, digits.last == "0" { digits.removeLast() }
        return number(whole) + (digits.isEmpty ? "" : strings.app.decimalSeparator + digits)
    }

    /// Formats a transfer: `12 MB`, later `12 MB, 40 %`; what has arrived, if the size is unknown.
    func text(of transfer: ImageTask.Progress) -> String {
        guard let total = transfer.total, total > 0 else { return size(transfer.received) }
        guard transfer.received > 0 else { return size(total) }
        return size(total) + ", " + percent(transfer.received, of: total)
    }

    /// Formats a number of bytes: `812 KB`, `2.1 MB`; whole mebibytes, as in limits, as `64 MiB`.
    func size(_ bytes: Int) -> String {
        if bytes > 0, bytes.isMultiple(of: 1 << 30) { return "\(number(bytes >> 30)) GiB" }
        if bytes > 0, bytes.isMultiple(of: 1 << 20) { return "\(number(bytes >> 20)) MiB" }
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        let magnitude = bytes.magnitude
        var unit = 0
        var divisor: UInt = 1
        // Rounds to the nearest, as NASA does, so that a file has one size everywhere.
        while (magnitude + divisor / 2) / divisor >= 1000, unit < units.count - 1 {
            unit += 1
            divisor *= 1000
        }
        let tenths = unit > 0 ? (magnitude + divisor / 20) / (divisor / 10) : 100
        guard tenths < 100 else { return "\(number(Int((magnitude + divisor / 2) / divisor))) \(units[unit])" }
        return "\(decimal(Int(tenths))) \(units[unit])"
    }
}
