/// Texts of alerts.
final class AlertTexts: Sendable {
    static let all = AlertTexts()

    /// The title for a search without words.
    let searchOfAll = Text(
        "The search failed", "Die Suche ist fehlgeschlagen", "La recherche a échoué", "La búsqueda falló", "検索に失敗しました",
        "فشل البحث")
    let search = Template(
        { "The search for '\($0)' failed" }, { "Die Suche nach „\($0)“ ist fehlgeschlagen" },
        { "La recherche de « \($0) » a échoué" }, { "La búsqueda de «\($0)» falló" }, { "「\($0)」の検索に失敗しました" },
        { "فشل البحث عن «\($0)»" })
    /// The headings of searches that need no network, and of those in the archive.
    let withoutNetwork = Text("Without a network", "Ohne Netz", "Sans réseau", "Sin red", "接続なしで見られるもの", "من دون شبكة")
    let inArchive = Text(
        "Archived searches", "Suchen in diesem Archiv", "Recherches dans cette archive", "Búsquedas en este archivo",
        "このアーカイブの検索", "عمليات البحث في هذا الأرشيف")
    /// Headlines of the common failures.
    let unreachable = Text(
        "The server cannot be reached", "Der Server ist nicht zu erreichen", "Le serveur est injoignable",
        "No se puede conectar con el servidor", "サーバーに接続できません", "تعذر الوصول إلى الخادم")
    let timedOut = Text(
        "The server took too long to answer", "Der Server hat zu lange nicht geantwortet",
        "Le serveur a mis trop de temps à répondre", "El servidor tardó demasiado en responder", "サーバーからの応答がありません",
        "تأخر الخادم كثيرًا في الرد")
    let refused = Text(
        "This address is not allowed", "Die Adresse wurde abgelehnt", "L’adresse a été refusée",
        "La dirección fue rechazada", "アドレスが拒否されました", "رُفض العنوان")
    let notRecorded = Text(
        "The archive has nothing for this", "Das Archiv hat dazu nichts", "L’archive n’a rien à ce sujet",
        "El archivo no tiene nada de esto", "アーカイブに該当するものがありません", "ليس في الأرشيف شيء عن هذا")
    let notCached = Text(
        "Not in the cache (offline)", "Nicht im Cache (offline)", "Absent du cache (hors ligne)",
        "No está en la caché (sin conexión)", "キャッシュにありません（オフライン）", "غير موجود في الذاكرة المؤقتة (دون اتصال)")
}

extension UIStrings {
    var alert: Localized<AlertTexts> { Localized(texts: .all, language: language) }

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
        case .unreachable: alert.unreachable
        case .timedOut: alert.timedOut
        case .refused: alert.refused
        case .notRecorded: alert.notRecorded
        case .notCached: alert.notCached
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
