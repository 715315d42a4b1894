internal import SpyglassTerminalUI

/// A question about something that failed, over the screen below.
struct Alert: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case search(String)
        case folder(String)
        /// The photos and path that a retry saves; the selection may have changed since.
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

    var isOfSaving: Bool { if case .save = subject { true } else { false } }

    func scope(in state: AppState) -> KeyScope { .alert }

    func hints(in state: AppState) -> [Action] {
        (choice != nil || error.canRetry ? [.submit] : []) + (offers.isEmpty ? [] : [.up, .down])
            + (choice != nil && error.canRetry ? [.retry] : []) + [.back] + (isOfSaving ? [] : [.quit])
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

    /// Returns to the folder where a failed search began, or home with its text to edit; other alerts, to the screen below.
    func close(in state: inout AppState, _ effects: inout Effects) {
        switch subject {
        case .search(let text): if !state.leaveFolder(&effects) { state.goHome(with: text, &effects) }
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
        add(context.strings.title(of: self), titleLines, .error)
        if case .save(let screen) = subject, screen.savedCount + screen.items.count > 1 {
            let counts = [screen.savedCount, screen.savedCount + screen.items.count].map(context.number)
            add(context.strings.save.some(counts[0], counts[1]), 1, .text)
        }
        lines.append([])
        let headline = error.archiveHolds == nil ? context.strings.headline(of: error) : nil
        if let headline { add(headline, Self.headlineLines, .text) }
        if !error.hidesReason(context.state.options), let reason = context.strings.detail(of: error) {
            add(reason, Self.reasonLines, headline == nil ? .text : .dim)
        }
        if !offers.isEmpty {
            if lines.last?.isEmpty == false { lines.append([]) }
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
            let role: ThemeRole = isChosen ? .selected : .text
            let isSample = search == RecentSearch("", source: "demo")
            let samples = context.strings.alert.samples
            lines.append([
                .init(mark.padded(to: Self.markColumns), .accent, .choice(index)),
                .init(canvas.clean(isSample ? samples : context.words(of: search.text), columns: columns), role),
                .init(canvas.clean(isSample ? "" : "  " + (search.source ?? ""), columns: columns), .dim),
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
            if case .save = alert.subject { continue }
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
    let nothingRecorded = Template(
        { "Nothing recorded for '\($0)'" }, { "Zu „\($0)“ ist nichts aufgezeichnet" },
        { "Rien d’enregistré pour « \($0) »" }, { "No hay nada grabado para «\($0)»" }, { "「\($0)」の記録はありません" },
        { "لا شيء مسجل عن «\($0)»" })
    let withoutNetwork = Text(
        "Works offline:", "Geht ohne Netz:", "Fonctionne hors ligne :", "Funciona sin conexión:", "オフラインで見られるもの:",
        "يعمل دون اتصال:")
    let samples = Text(
        "sample photos", "Beispielfotos", "photos d’exemple", "fotos de muestra", "サンプル写真", "صور تجريبية")
    let noConnection = Template(
        { "No connection to \($0). Check your network." }, { "Keine Verbindung zu \($0). Ist das Netz da?" },
        { "Pas de connexion à \($0). Vérifiez votre réseau." }, { "Sin conexión con \($0). Comprueba tu red." },
        { "\($0) に接続できません。ネットワークを確認してください。" }, { "لا اتصال بـ \($0). تحقق من الشبكة." })
    let inArchive = Text(
        "This archive has:", "Dieses Archiv hat:", "Cette archive contient :", "Este archivo tiene:", "このアーカイブの内容:",
        "يحتوي هذا الأرشيف على:")
}

extension UIStrings {
    var alert: Localized<AlertTexts> { Localized(.all, language) }

    func title(of alert: Alert) -> String {
        if case .search(let search) = alert.subject, alert.error.archiveHolds != nil, !search.isEmpty {
            return self.alert.nothingRecorded(search)
        }
        return title(of: alert.subject)
    }

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
        case .unreachable where error.site != nil: alert.noConnection(error.site ?? "")
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
                "Nothing recorded for this", "Dazu ist nichts aufgezeichnet", "Rien d’enregistré à ce sujet",
                "No hay nada grabado de esto", "この内容の記録はありません", "لا شيء مسجل عن هذا")
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
        if problem.site != nil, let headline = headline(of: problem) { return headline }
        return [headline(of: problem), detail(of: problem)].compactMap(\.self).joined(separator: ": ")
    }
}
