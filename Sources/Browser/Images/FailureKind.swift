internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline

/// Why an image or a search failed.
enum FailureKind: Hashable, Sendable {
    case notFound
    case status(Int)
    case unreachable, timedOut
    /// Beyond a limit; the option that raises it, if one does.
    case tooLarge(option: String?)
    /// A disallowed address: another scheme, a private network, too many redirects.
    case refused
    case notRecorded, notCached, unavailable, empty, notAPicture, unsupported, damaged, outOfMemory, unknown
    case format(String)

    /// Whether another try may succeed: limits and formats stay while the program runs.
    var canRetry: Bool {
        switch self {
        case .tooLarge, .unsupported, .format: false
        default: true
        }
    }

    init(_ error: any Error) {
        switch error {
        // RFC 9110 sections 15.5.5 and 15.5.11.
        case ImageError.status(404, _), ImageError.status(410, _): self = .notFound
        case ImageError.status(let status, _): self = .status(status)
        case ImageError.fetch(let error): self.init(error)
        case ImageError.decode(let error, _): self = error.unsupportedFormat.map { .format($0) } ?? Self(error)
        default: self = .unknown
        }
    }

    init(_ error: FetchError) {
        switch error.kind {
        case .unreachable: self = .unreachable
        case .timedOut: self = .timedOut
        case .tooLarge:
            let options: [FetchError.Limit: String] = [.body: "--max-bytes", .workMemory: "--work-memory"]
            self = .tooLarge(option: error.exceededLimit.flatMap { options[$0] })
        case .disallowed: self = .refused
        case .notRecorded: self = .notRecorded
        case .notCached: self = .notCached
        case .unavailable: self = .unavailable
        }
    }

    private init(_ error: CodecError) {
        switch error.kind {
        case .empty: self = .empty
        case .notAnImage: self = .notAPicture
        case .unsupported: self = .unsupported
        case .corrupt, .crashed: self = .damaged
        case .limit:
            let option: String? =
                switch error.exceeded {
                case .pixels, .side: "--max-pixels"
                case .bodyBytes: "--max-bytes"
                case .workMemory: "--work-memory"
                default: nil
                }
            self = .tooLarge(option: option)
        case .unreadable: self = .unavailable
        case .outOfMemory: self = .outOfMemory
        case .cancelled, .library: self = .unknown
        }
    }
}

extension UIStrings {
    /// Returns why an image is missing; at most 22 columns, to fit into a thumbnail.
    func text(of failure: FailureKind) -> String {
        switch failure {
        case .status(let status):
            self(
                "error \(status)", "Fehler \(status)", "erreur \(status)", "fallo \(status)", "エラー \(status)",
                "خطأ \(status)")
        case .format(let name): name
        case .notFound: self("not found", "nicht gefunden", "introuvable", "no encontrada", "見つかりません", "غير موجودة")
        case .unreachable: self("no network", "kein Netz", "pas de réseau", "sin red", "接続なし", "لا توجد شبكة")
        case .timedOut: self("timed out", "Zeit abgelaufen", "délai dépassé", "tiempo agotado", "時間切れ", "انتهت المهلة")
        case .tooLarge: self("too large", "zu groß", "trop grande", "demasiado grande", "大きすぎます", "كبيرة جدًا")
        case .refused: self("refused", "abgelehnt", "refusée", "rechazada", "拒否されました", "مرفوضة")
        case .notRecorded:
            self(
                "not in archive", "nicht im Archiv", "pas dans l’archive", "no está en el archivo", "アーカイブになし",
                "ليست في الأرشيف")
        case .notCached:
            self("not in cache", "nicht im Cache", "pas dans le cache", "no está en caché", "キャッシュになし", "ليست مخزنة")
        case .unavailable:
            self("unavailable", "nicht verfügbar", "indisponible", "no disponible", "利用できません", "غير متاحة")
        case .empty: self("empty file", "leere Datei", "fichier vide", "archivo vacío", "空のファイル", "ملف فارغ")
        case .notAPicture:
            self("not an image", "kein Bild", "pas une image", "no es una imagen", "画像ではありません", "ليست صورة")
        case .unsupported:
            self(
                "unknown format", "Format unbekannt", "format inconnu", "formato desconocido", "不明な形式",
                "صيغة غير معروفة")
        case .damaged: self("damaged", "beschädigt", "endommagée", "dañada", "破損", "تالفة")
        case .outOfMemory:
            self("out of memory", "zu wenig Speicher", "mémoire épuisée", "sin memoria", "メモリ不足", "نفدت الذاكرة")
        case .unknown: self("failed", "fehlgeschlagen", "échec", "error", "失敗", "فشل")
        }
    }

    /// Returns the text with the option of a limit.
    func fullText(of failure: FailureKind) -> String {
        guard case .tooLarge(let option?) = failure else { return text(of: failure) }
        return "\(text(of: failure)) (\(option))"
    }

    /// Returns what is wrong with an image in a word; `nil` for a complete one.
    func shortText(of completeness: DecodedImage.Completeness) -> String? {
        if case .truncated = completeness { truncated } else { text(of: completeness) }
    }

    var truncated: String {
        self("truncated", "abgeschnitten", "tronquée", "truncada", "途中まで", "مبتورة")
    }

    /// Returns what is missing of an image; `nil` for a complete one.
    func text(of completeness: DecodedImage.Completeness) -> String? {
        switch completeness {
        case .complete: nil
        case .truncated(let rows, let all):
            self(
                "truncated: \(rows) of \(all) rows", "abgeschnitten: \(rows) von \(all) Zeilen",
                "tronquée : \(rows) lignes sur \(all)", "truncada: \(rows) de \(all) filas", "途中まで: \(all)行中\(rows)行",
                "مبتورة: \(rows) من \(all) صفًا")
        case .degraded: text(of: FailureKind.damaged)
        }
    }
}
