internal import SpyglassTerminalUI

/// A question about something that failed, over the screen below.
struct Alert: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case search(String)
        case folder(String)
        /// Has what a retry saves; the selection may have changed.
        case save(SaveScreen)
    }

    var subject: Subject
    var error: BrowserError
    /// Searches that need no network, where there is none.
    var offers: [RecentSearch] = []
    /// The chosen offer; `nil` while Enter retries.
    var choice: Int?
}

extension Alert: ScreenFeature {
    static let kind = ScreenKind.panel
    private static let reasonLines = 8
    private static let headlineLines = 2
    private static let markColumns = 2

    func scope(in state: AppState) -> KeyScope { .alert }

    func hints(in state: AppState) -> [Action] {
        (choice != nil || error.canRetry ? [.submit] : []) + (offers.isEmpty ? [] : [.up, .down])
            + (choice != nil && error.canRetry ? [.retry] : []) + [.back]
    }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        action == .submit ? (choice == nil ? Action.retry : .open).name(in: strings) : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        // Enter without a choice counts as the line before the first.
        let lines = offers.count + 1
        func chosen(_ step: Int) -> Int? {
            let line = ((choice ?? -1) + 1 + step + lines) % lines
            return line == 0 ? nil : line - 1
        }
        var changed = self
        switch action {
        case .up: changed.choice = chosen(-1)
        case .down: changed.choice = chosen(1)
        case .submit:
            guard let choice else { return state.retry(self, &effects) }
            return state.search(offer: choice, of: self, &effects)
        case .retry: return state.retry(self, &effects)
        default: return
        }
        state.replaceTop(.alert(changed))
    }

    /// Leads home after a failed search, to edit it; else to the screen below.
    func close(in state: inout AppState, _ effects: inout Effects) {
        switch subject {
        case .search(let text): state.goHome(with: text, &effects)
        case .folder:
            state.screens.removeLast()
            state.leaveList(&effects)
        case .save: state.screens.removeLast()
        }
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        let columns = Panel.columns(60, on: canvas)
        // A small screen needs room for the reason.
        let titleLines = Panel.hasFrame(on: canvas.area) ? 3 : 1
        var lines: [[Canvas.Piece]] = []
        func add(_ text: String, _ limit: Int, _ role: ThemeRole) {
            lines += canvas.lines(of: text, columns: columns, limit: limit).map { [Canvas.Piece($0, role)] }
        }
        add(context.strings.title(of: subject), titleLines, .error)
        if case .save(let screen) = subject, screen.savedCount + screen.items.count > 1 {
            let counts = [screen.savedCount, screen.savedCount + screen.items.count].map(context.number)
            add(context.strings.save.some(counts[0], counts[1]), 1, .text)
        }
        lines.append([])
        let headline = context.strings.headline(of: error)
        if let headline { add(headline, Self.headlineLines, .text) }
        if let reason = context.strings.detail(of: error) {
            add(reason, Self.reasonLines, headline == nil ? .text : .dim)
        }
        if !offers.isEmpty {
            lines.append([])
            if let held = error.archiveHolds {
                let counts = [offers.count, held.count].map(context.number)
                let share = offers.count < held.count ? "  \(counts[0]) / \(counts[1])" : ""
                add(context.strings.alert.inArchive + share, 1, .dim)
            } else {
                add(context.strings.alert.withoutNetwork, 1, .dim)
            }
        }
        for (index, search) in offers.enumerated() {
            let isChosen = choice == index
            let mark = isChosen ? canvas.marks[.selection] : " "
            lines.append([
                .init(mark.padded(to: Self.markColumns), .accent, .choice(index)),
                .init(canvas.clean(context.words(of: search.text), columns: columns), isChosen ? .selected : .text),
                .init(canvas.clean("  " + (search.source ?? ""), columns: columns), .dim),
            ])
        }
        let panel = Panel(title: "", columns: columns, lines: lines, .error, on: &canvas)
        panel.draw(lines, keys: context.hints, on: &canvas)
    }
}

extension AppState {
    mutating func search(offer choice: Int, of alert: Alert, _ effects: inout Effects) {
        guard alert.offers.indices.contains(choice) else { return }
        submit(alert.offers[choice].text, source: alert.offers[choice].source, &effects)
    }

    /// Offers the searches that the cache has, above the demo.
    mutating func offer(_ searches: [RecentSearch], generation: Int) {
        guard list?.generation == generation else { return }
        for case (let index, .alert(var alert)) in zip(screens.indices, screens) {
            let new = searches.filter { !alert.offers.contains($0) }
            alert.offers = new + alert.offers
            alert.choice = alert.choice.map { $0 + new.count }
            screens[index] = .alert(alert)
        }
    }

    fileprivate mutating func retry(_ alert: Alert, _ effects: inout Effects) {
        guard alert.error.canRetry else { return back(&effects) }
        screens.removeLast()
        switch alert.subject {
        case .search, .folder: restart(list?.failed ?? .selects(0), &effects)
        case .save(let screen): ask(screen, &effects)
        }
    }
}

/// Replaces web addresses in messages by their hosts.
enum ShortAddresses {
    static func text(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map(word).joined(separator: " ")
    }

    private static func word(_ word: Substring) -> String {
        guard let scheme = ["http://", "https://"].first(where: word.hasPrefix) else { return String(word) }
        let address = word.dropFirst(scheme.count)
        let end = address.lastIndex { !":;,.)'".contains($0) }.map(address.index(after:)) ?? address.startIndex
        let host = address[..<end].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return host.isEmpty ? String(word) : String(host + address[end...])
    }
}

final class AlertTexts: Sendable {
    static let all = AlertTexts()
    let searchOfAll = Text(
        "The search failed", "Die Suche ist fehlgeschlagen", "La recherche a échoué", "La búsqueda falló", "検索に失敗しました",
        "فشل البحث")
    let search = Template(
        { "The search for '\($0)' failed" }, { "Die Suche nach „\($0)“ ist fehlgeschlagen" },
        { "La recherche de « \($0) » a échoué" }, { "La búsqueda de «\($0)» falló" }, { "「\($0)」の検索に失敗しました" },
        { "فشل البحث عن «\($0)»" })
    let withoutNetwork = Text("Without a network", "Ohne Netz", "Sans réseau", "Sin red", "接続なしで見られるもの", "من دون شبكة")
    let inArchive = Text(
        "Archived searches", "Suchen in diesem Archiv", "Recherches dans cette archive", "Búsquedas en este archivo",
        "このアーカイブの検索", "عمليات البحث في هذا الأرشيف")
}

extension UIStrings {
    var alert: Localized<AlertTexts> { Localized(.all, language) }

    func title(of subject: Alert.Subject) -> String {
        switch subject {
        case .search(let search): search.isEmpty ? alert.searchOfAll : alert.search(search)
        case .folder(let path): folders.cannotOpen(path)
        case .save(let screen): screen.purpose == .originals ? save.saveFailed : save.exportFailed
        }
    }

    /// Returns the kind of failure in a few words; `nil` for a kind that only its reason explains.
    func headline(of error: BrowserError) -> String? {
        switch error.kind {
        case .unreachable:
            self(
                "The server cannot be reached", "Der Server ist nicht zu erreichen", "Le serveur est injoignable",
                "No se puede conectar con el servidor", "サーバーに接続できません", "تعذر الوصول إلى الخادم")
        case .timedOut:
            self(
                "The server took too long to answer", "Der Server hat zu lange nicht geantwortet",
                "Le serveur a mis trop de temps à répondre", "El servidor tardó demasiado en responder",
                "サーバーからの応答がありません", "تأخر الخادم كثيرًا في الرد")
        case .refused:
            self(
                "This address is not allowed", "Die Adresse wurde abgelehnt", "L’adresse a été refusée",
                "La dirección fue rechazada", "アドレスが拒否されました", "رُفض العنوان")
        case .notRecorded:
            self(
                "The archive has nothing for this", "Das Archiv hat dazu nichts", "L’archive n’a rien à ce sujet",
                "El archivo no tiene nada de esto", "アーカイブに該当するものがありません", "ليس في الأرشيف شيء عن هذا")
        case .notCached:
            self(
                "Not in the cache (offline)", "Nicht im Cache (offline)", "Absent du cache (hors ligne)",
                "No está en la caché (sin conexión)", "キャッシュにありません（オフライン）", "غير موجود في الذاكرة المؤقتة (دون اتصال)")
        default: nil
        }
    }

    /// Returns what the headline does not say; `nil` if that is all.
    func detail(of error: BrowserError) -> String? {
        let isSaid = error.kind == .notRecorded && error.archiveHolds != nil
        return isSaid ? nil : ShortAddresses.text(error.reason)
    }

    /// Returns one line: the kind first, since the end may be cut off.
    func text(of problem: BrowserError) -> String {
        [headline(of: problem), detail(of: problem)].compactMap(\.self).joined(separator: ": ")
    }
}
