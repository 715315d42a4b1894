internal import SpyglassCodecs

/// Why an image is missing or incomplete; at most 22 columns, to fit into a thumbnail.
final class FailureTexts: Sendable {
    static let all = FailureTexts()

    let notFound = Text("not found", "nicht gefunden", "introuvable", "no encontrada", "見つかりません", "غير موجودة")
    let unreachable = Text("no network", "kein Netz", "pas de réseau", "sin red", "接続なし", "لا توجد شبكة")
    let timedOut = Text("timed out", "Zeit abgelaufen", "délai dépassé", "tiempo agotado", "時間切れ", "انتهت المهلة")
    let tooLarge = Text("too large", "zu groß", "trop grande", "demasiado grande", "大きすぎます", "كبيرة جدًا")
    let refused = Text("refused", "abgelehnt", "refusée", "rechazada", "拒否されました", "مرفوضة")
    let notRecorded = Text(
        "not in archive", "nicht im Archiv", "pas dans l’archive", "no está en el archivo", "アーカイブになし",
        "ليست في الأرشيف")
    let notCached = Text(
        "not in cache", "nicht im Cache", "pas dans le cache", "no está en caché", "キャッシュになし", "ليست مخزنة")
    let unavailable = Text("unavailable", "nicht verfügbar", "indisponible", "no disponible", "利用できません", "غير متاحة")
    let notAPicture = Text("not an image", "kein Bild", "pas une image", "no es una imagen", "画像ではありません", "ليست صورة")
    let unsupported = Text(
        "unknown format", "Format unbekannt", "format inconnu", "formato desconocido", "不明な形式", "صيغة غير معروفة")
    let damaged = Text("damaged", "beschädigt", "endommagée", "dañada", "破損", "تالفة")
    let outOfMemory = Text(
        "out of memory", "zu wenig Speicher", "mémoire épuisée", "sin memoria", "メモリ不足", "نفدت الذاكرة")
    let unknown = Text("failed", "fehlgeschlagen", "échec", "error", "失敗", "فشل")
    /// An HTTP status.
    let status = Template(
        { "error \($0)" }, { "Fehler \($0)" }, { "erreur \($0)" }, { "fallo \($0)" }, { "エラー \($0)" }, { "خطأ \($0)" })
    /// The rows that a damaged file has, and all rows.
    let truncated = Template2(
        { "truncated: \($0) of \($1) rows" }, { "abgeschnitten: \($0) von \($1) Zeilen" },
        { "tronquée : \($0) lignes sur \($1)" }, { "truncada: \($0) de \($1) filas" }, { "途中まで: \($1)行中\($0)行" },
        { "مبتورة: \($0) من \($1) صفًا" })
}

extension UIStrings {
    var failures: Localized<FailureTexts> { Localized(texts: .all, language: language) }

    func text(of failure: FailureKind) -> String {
        switch failure {
        case .status(let status): failures.status("\(status)")
        case .format(let name): name
        case .notFound: failures.notFound
        case .unreachable: failures.unreachable
        case .timedOut: failures.timedOut
        case .tooLarge: failures.tooLarge
        case .refused: failures.refused
        case .notRecorded: failures.notRecorded
        case .notCached: failures.notCached
        case .unavailable: failures.unavailable
        case .notAPicture: failures.notAPicture
        case .unsupported: failures.unsupported
        case .damaged: failures.damaged
        case .outOfMemory: failures.outOfMemory
        case .unknown: failures.unknown
        }
    }

    /// Returns the text with the options of a limit.
    func fullText(of failure: FailureKind) -> String {
        text(of: failure) + (failure == .tooLarge ? " (--max-bytes, --max-pixels, --work-memory)" : "")
    }

    /// Returns what is missing of an image; `nil` for a complete one.
    func text(of completeness: DecodedImage.Completeness) -> String? {
        switch completeness {
        case .complete: nil
        case .truncated(let rows, let all): failures.truncated("\(rows)", "\(all)")
        case .degraded: failures.damaged
        }
    }
}
