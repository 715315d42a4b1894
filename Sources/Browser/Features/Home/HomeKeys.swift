internal import SpyglassTerminalUI

extension Action {
    static let search = Action("search", "search", "suchen", "rechercher", "buscar", "検索", "بحث")
    static let submit = Action("submit", "search", "suchen", "rechercher", "buscar", "検索", "بحث")
    static let olderSearch = Action(
        "olderSearch", "older search", "ältere Suche", "recherche précédente", "búsqueda anterior", "前の検索", "بحث أقدم")
    static let newerSearch = Action(
        "newerSearch", "newer search", "neuere Suche", "recherche suivante", "búsqueda siguiente", "次の検索", "بحث أحدث")
    static let quit = Action("quit", "quit", "beenden", "quitter", "salir", "終了", "خروج")
}

extension KeyTable {
    static let home =
        bind(in: [.search], isHidden: true, ([.plain("q")], .back)) + bind(in: [.home], ([.plain("q")], .quit))
        + bind(in: commands, ([.plain("/")], .search))
        + bind(in: searches, ([Key(.enter)], .submit), ([.control("p")], .olderSearch), ([.control("n")], .newerSearch))
}

final class HomeTexts: Sendable {
    static let all = HomeTexts()
    let tagline = Template(
        { "Photos from \($0), in your terminal" }, { "Fotos von \($0), im Terminal" },
        { "Photos de \($0), dans le terminal" }, { "Fotos de \($0), en tu terminal" }, { "\($0) の写真を端末で" },
        { "صور من \($0) في الطرفية" })
    let prompt = Text(
        "Search for photos", "Fotos suchen", "Rechercher des photos", "Buscar fotos", "写真を検索", "ابحث عن صور")
    /// The title over own files, which the filter finds.
    let promptOnline = Text(
        "Search online; & filters these files", "Online suchen; & filtert diese Dateien",
        "Chercher en ligne ; & filtre ces fichiers", "Buscar en línea; & filtra estos archivos",
        "ネットで検索（& でこのファイルを絞り込み）", "بحث عبر الإنترنت؛ يرشّح & هذه الملفات")
    let recent = Text(
        "Recent searches", "Letzte Suchen", "Recherches récentes", "Búsquedas recientes", "最近の検索", "عمليات بحث حديثة")
    let recentFolders = Text(
        "Recent folders", "Letzte Ordner", "Dossiers récents", "Carpetas recientes", "最近のフォルダー", "مجلدات حديثة")
    let suggestions = Text("Worth a look", "Sehenswert", "À découvrir", "Vale la pena ver", "おすすめ", "يستحق المشاهدة")
    let resume = Template2(
        { "Continue '\($0)' at \($1)" }, { "Weiter mit „\($0)“ bei \($1)" }, { "Reprendre « \($0) » à \($1)" },
        { "Continuar «\($0)» en \($1)" }, { "「\($0)」の \($1) 枚目から続ける" }, { "متابعة «\($0)» من \($1)" })
    let archiveHolds = Template(
        { "This archive holds: \($0)" }, { "Dieses Archiv enthält: \($0)" }, { "Cette archive contient : \($0)" },
        { "Este archivo contiene: \($0)" }, { "このアーカイブの内容: \($0)" }, { "يحتوي هذا الأرشيف على: \($0)" })
    let forExample = Template(
        { "for example \($0)" }, { "zum Beispiel \($0)" }, { "par exemple \($0)" }, { "por ejemplo \($0)" },
        { "例: \($0)" }, { "مثلًا \($0)" })
    let today = Template(
        { "Today: \($0)" }, { "Heute: \($0)" }, { "Aujourd’hui : \($0)" }, { "Hoy: \($0)" }, { "今日: \($0)" },
        { "اليوم: \($0)" })
    /// The effect of Enter in an empty field: at home, and over a list.
    let showAll = Text("browse all", "alle ansehen", "tout parcourir", "ver todas", "すべて見る", "تصفح الكل")
    /// The name of `quit` at home, where the field takes letters as text.
    let quit = Text(
        "quit (in the list)", "beenden (Zeile)", "quitter (ligne)", "salir (línea)", "終了（行の上）", "خروج (على سطر)")
    /// The phrase for Escape at home; it clears the field first.
    let leave = Text(
        "quit (empty field)", "beenden (leeres Feld)", "quitter (champ vide)", "salir (campo vacío)", "終了（空欄のとき）",
        "خروج (حقل فارغ)")
    /// The name of `back` at home while the field has text.
    let clear = Text("clear", "leeren", "effacer", "borrar", "消去", "مسح")
    let start = Text("home screen", "Startseite", "accueil", "inicio", "ホーム", "البداية")
    let heading = Text("Search field", "Suchfeld", "Champ de recherche", "Campo de búsqueda", "検索欄", "حقل البحث")
    let unknownFilter = Template2(
        { "Unknown filter '\($0):'. Filters: \($1)" }, { "Unbekannter Filter „\($0):“. Filter: \($1)" },
        { "Filtre « \($0): » inconnu. Filtres : \($1)" }, { "Filtro «\($0):» desconocido. Filtros: \($1)" },
        { "フィルター「\($0):」は不明です。フィルター: \($1)" }, { "مرشح غير معروف «\($0):». المرشحات: \($1)" })
    let badValue = Template3(
        { "'\($0)' is not valid for '\($1):'. Examples: \($2)" },
        { "„\($0)“ ist für „\($1):“ nicht gültig. Beispiele: \($2)" },
        { "« \($0) » n’est pas valable pour « \($1): ». Exemples : \($2)" },
        { "«\($0)» no es válido para «\($1):». Ejemplos: \($2)" }, { "「\($0)」は「\($1):」に使えません。例: \($2)" },
        { "«\($0)» غير صالح لـ «\($1):». مثال: \($2)" })
    let emptyFilter = Template(
        { "'\($0):' needs a value" }, { "„\($0):“ braucht einen Wert" }, { "« \($0): » demande une valeur" },
        { "«\($0):» necesita un valor" }, { "「\($0):」には値が必要です" }, { "يحتاج «\($0):» إلى قيمة" })
}

extension UIStrings {
    var home: Localized<HomeTexts> { Localized(.all, language) }

    /// Returns the syntax of a source that does not search for words.
    func operands(of source: String) -> String? {
        switch source {
        case "apod":
            self(
                "nothing, date:FIRST..LAST, or count:NUMBER", "nichts, date:ERSTER..LETZTER oder count:ANZAHL",
                "rien, date:PREMIER..DERNIER ou count:NOMBRE", "nada, date:PRIMERO..ÚLTIMO o count:NÚMERO",
                "空欄、date:最初..最後、または count:数", "بلا كلمات، أو date:الأول..الأخير، أو count:عدد")
        case "tumblr":
            self(
                "BLOG, or tag:WORD", "BLOG oder tag:WORT", "BLOG ou tag:MOT", "BLOG o tag:PALABRA", "ブログ名、または tag:語",
                "مدونة، أو tag:كلمة")
        default: nil
        }
    }

    func text(of mistake: SearchSyntaxError) -> String {
        switch mistake {
        case .unknownFilter(let filter, let known): home.unknownFilter(filter, known.joined(separator: ", "))
        case .badValue(let value, let filter, let examples):
            home.badValue(value, filter, examples.joined(separator: ", "))
        case .emptyFilter(let filter): home.emptyFilter(filter)
        }
    }
}
