internal import SpyglassTerminalUI

/// Draws an alert: what failed, why, and what can be done.
struct AlertPanel {
    let context: RenderContext
    let alert: Alert

    private static let columns = 60
    private static let reasonLines = 8
    private static let headlineLines = 2
    private static let markColumns = 2

    func draw(on canvas: inout Canvas) {
        let columns = min(Self.columns, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
        // A small screen needs room for the reason.
        let titleLines = Panel.hasFrame(on: canvas.area) ? 3 : 1
        var lines: [[Canvas.Piece]] = []
        func add(_ text: String, _ limit: Int, _ role: ThemeRole) {
            lines += canvas.lines(of: text, columns: columns, limit: limit).map { [Canvas.Piece($0, role)] }
        }
        add(context.strings.title(of: alert.subject), titleLines, .error)
        if case .save(let screen) = alert.subject, screen.savedCount + screen.items.count > 1 {
            let counts = [screen.savedCount, screen.savedCount + screen.items.count].map(context.number)
            add(context.strings.save.some(counts[0], counts[1]), 1, .text)
        }
        lines.append([])
        let error = alert.error
        let headline = context.strings.headline(of: error)
        if let headline { add(headline, Self.headlineLines, .text) }
        if let reason = context.strings.detail(of: error) {
            add(reason, Self.reasonLines, headline == nil ? .text : .dim)
        }
        if !alert.offers.isEmpty {
            lines.append([])
            if let held = error.archiveHolds {
                let counts = [alert.offers.count, held.count].map(context.number)
                let share = alert.offers.count < held.count ? "  \(counts[0]) / \(counts[1])" : ""
                add(context.strings.alert.inArchive + share, 1, .dim)
            } else {
                add(context.strings.alert.withoutNetwork, 1, .dim)
            }
        }
        for (index, search) in alert.offers.enumerated() {
            let isChosen = alert.choice == index
            let text = search.text.isEmpty ? context.strings.list.everything : search.text
            let mark = isChosen ? canvas.marks[.selection] : " "
            lines.append([
                .init(mark.padded(to: Self.markColumns), .accent, .choice(index)),
                .init(canvas.clean(text, columns: columns), isChosen ? .selected : .text),
                .init(canvas.clean("  " + (search.source ?? ""), columns: columns), .dim),
            ])
        }
        let panel = Panel(title: "", columns: columns, lines: lines, .error, on: &canvas)
        panel.draw(lines, keys: context.hints, on: &canvas)
    }
}

/// Replaces web addresses in messages by their hosts.
enum ShortAddresses {
    private static let separator = "://"
    private static let schemes = ["http", "https"]
    private static let punctuation: Set<Character> = [":", ";", ",", ".", ")", "'"]

    static func text(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map(word).joined(separator: " ")
    }

    private static func word(_ word: Substring) -> String {
        guard let scheme = schemes.first(where: { word.hasPrefix($0 + separator) }) else { return String(word) }
        let address = word.dropFirst(scheme.count + separator.count)
        var end = address.endIndex
        while end > address.startIndex, punctuation.contains(address[address.index(before: end)]) {
            end = address.index(before: end)
        }
        let host = address[..<end].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return host.isEmpty ? String(word) : String(host + address[end...])
    }
}
