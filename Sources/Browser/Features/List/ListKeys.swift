internal import SpyglassTerminalUI

extension Action {
    static let open = Action("open", "open", "öffnen", "ouvrir", "abrir", "開く", "فتح")
    static let looser = Action("looser", "larger", "größer", "plus grand", "más grande", "大きく", "أكبر")
    static let denser = Action("denser", "smaller", "kleiner", "plus petit", "más pequeño", "小さく", "أصغر")
    static let refresh = Action("refresh", "refresh", "aktualisieren", "actualiser", "actualizar", "更新", "تحديث")
}

extension KeyTable {
    static let list = bind(
        in: photos, ([Key(.enter)], .open), ([.plain("+"), .plain("=")], .looser), ([.plain("-")], .denser),
        ([.plain("r")], .refresh))
}

extension Setting {
    static let density = Setting(
        "density", \.density, of: { _ in Array(ListGeometry.densities.indices) },
        label: Text(
            "Thumbnail size", "Größe der Vorschaubilder", "Taille des miniatures", "Tamaño de las miniaturas",
            "サムネイルの大きさ", "حجم الصور المصغرة"),
        withoutImages: Text(
            "Text per photo", "Text je Foto", "Texte par photo", "Texto por foto", "写真ごとの文字", "نص كل صورة"),
        explanation: Text(
            "How many lines each photo has in a list; + and - change it, too",
            "Wie viele Zeilen ein Foto in Listen hat; auch mit + und -",
            "Lignes par photo dans une liste ; + et - aussi", "Líneas por foto en una lista; también con + y -",
            "一覧で写真が占める行数。+ と - でも変えられます", "عدد أسطر كل صورة في القائمة؛ أيضًا بـ + و -")
    ) { level, context in
        let level = min(max(level, 0), ListGeometry.densities.count - 1)
        guard level > 0 else { return context.strings.list.oneLine }
        let rows =
            context.state.options.showsImages
            ? ListGeometry.thumbnailRows(density: level, on: context.state.traits.size) : ListGeometry.textRows[level]
        return context.strings.list.lines(rows, context.number(rows))
    }
}

final class ListTexts: Sendable {
    static let all = ListTexts()
    let everything = Text("All photos", "Alle Fotos", "Toutes les photos", "Todas las fotos", "すべての写真", "كل الصور")
    /// The name of `search` in a list of own files.
    let searchOnline = Text(
        "search online", "online suchen", "chercher en ligne", "buscar en línea", "ネットで検索", "بحث عبر الإنترنت")
    let searching = Template(
        { "Searching for '\($0)'" }, { "Suche nach „\($0)“" }, { "Recherche de « \($0) »" }, { "Buscando «\($0)»" },
        { "「\($0)」を検索中" }, { "جارٍ البحث عن «\($0)»" })
    let nothingFound = Template(
        { "Nothing found for '\($0)'" }, { "Nichts gefunden zu „\($0)“" }, { "Aucun résultat pour « \($0) »" },
        { "No hay nada para «\($0)»" }, { "「\($0)」に一致する写真はありません" }, { "لا نتائج عن «\($0)»" })
    let nothingFoundHint = Text(
        "Try fewer or other words, or leave out a filter.",
        "Weniger oder andere Wörter versuchen, oder einen Filter weglassen.",
        "Essayez moins de mots, d’autres mots, ou sans filtre.",
        "Prueba con menos palabras, con otras o sin algún filtro.", "語を減らすか変える、またはフィルターを外してください。",
        "جرّب كلمات أقل أو أخرى، أو احذف مرشحًا.")
    let loading = Text(
        "Loading more", "Lade weitere", "Chargement de la suite", "Cargando más", "続きを読み込み中", "جارٍ تحميل المزيد")
    let loadingFailed = Text(
        "Could not load more", "Weitere konnten nicht geladen werden", "La suite n’a pas pu être chargée",
        "No se pudo cargar más", "続きを読み込めませんでした", "تعذر تحميل المزيد")
    let offline = Text("offline", "offline", "hors ligne", "sin conexión", "オフライン", "غير متصل")
    let stale = Text(
        "may be out of date", "vielleicht veraltet", "peut-être périmé", "quizá desactualizado", "古い可能性あり",
        "قد يكون قديمًا")
    let end = Template(
        { "End: \($0)" }, { "Ende: \($0)" }, { "Fin : \($0)" }, { "Fin: \($0)" }, { "終わり: \($0)" },
        { "النهاية: \($0)" })
    let archive = Text("archive", "Archiv", "archive", "archivo", "アーカイブ", "أرشيف")
    let oneLine = Text(
        "one line of text", "eine Textzeile", "une ligne de texte", "una línea de texto", "文字一行", "سطر نص واحد")
    let lines = Counted(
        { _, written in "\(written) lines" }, { _, written in "\(written) Zeilen" },
        { _, written in "\(written) lignes" }, { _, written in "\(written) líneas" }, { _, written in "\(written) 行" },
        { _, written in "\(written) أسطر" })
    let goTo = Template2(
        { "\($0)  \($1) goes to this photo" }, { "\($0)  \($1) geht zu diesem Foto" },
        { "\($0)  \($1) va à cette photo" }, { "\($0)  \($1) va a esta foto" }, { "\($0)  \($1) でこの写真へ" },
        { "\($0)  ينتقل \($1) إلى هذه الصورة" })
    let heading = Text("Lists", "Listen", "Listes", "Listas", "一覧", "القوائم")
    let size = Text("size", "Größe", "taille", "tamaño", "大きさ", "حجم")
    let refreshed = Text(
        "Now up to date", "Jetzt auf dem neuesten Stand", "Maintenant à jour", "Ahora está al día", "最新の状態になりました",
        "مُحدَّث الآن")
    let nothingNewer = Text(
        "Could not refresh; showing cached results", "Aktualisieren nicht möglich; gezeigt wird der gespeicherte Stand",
        "Actualisation impossible ; résultats du cache affichés",
        "No se pudo actualizar; se muestran resultados guardados", "更新できませんでした。キャッシュの結果を表示しています",
        "تعذر التحديث؛ تُعرض النتائج المخزنة")
}

extension UIStrings { var list: Localized<ListTexts> { Localized(.all, language) } }
