internal import SpyglassTerminalUI

extension Action {
    static let fullScreen = Action(
        "fullScreen", "full screen", "Vollbild", "plein écran", "pantalla completa", "全画面", "ملء الشاشة",
        needsImages: true)
    static let toggleText = Action(
        "toggleText", "text only", "nur Text", "texte seul", "solo texto", "文字のみ", "النص فقط",
        needsImages: true)
    static let nextPhoto = Action("nextPhoto", "next", "nächstes", "suivante", "siguiente", "次", "التالية")
    static let previousPhoto = Action("previousPhoto", "previous", "voriges", "précédente", "anterior", "前", "السابقة")
    static let nextPicture = Action(
        "nextPicture", "next picture or page", "nächstes Bild / Seite", "image ou page suivante",
        "imagen o página siguiente", "次の画像・ページ", "الصورة أو الصفحة التالية")
    static let previousPicture = Action(
        "previousPicture", "previous picture or page", "voriges Bild / Seite", "image ou page précédente",
        "imagen o página anterior", "前の画像・ページ", "الصورة أو الصفحة السابقة")
    static let retry = Action("retry", "retry", "noch einmal", "réessayer", "reintentar", "再試行", "إعادة المحاولة")
}

extension KeyTable {
    static let detail =
        bind(in: [.detail, .alert], ([.plain("r")], .retry))
        + bind(in: [.detail], isHidden: true, ([Key(.enter)], .open))
        + bind(in: photos.union([.detail]), ([.plain("f")], .fullScreen))
        + bind(in: [.detail], ([Key(.tab)], .toggleText))
        + bind(in: [.detail, .slideshow], ([.plain("n")], .nextPhoto), ([.plain("p")], .previousPhoto))
        + bind(in: [.detail], ([.plain("]")], .nextPicture), ([.plain("[")], .previousPicture)) + opening
}

final class DetailTexts: Sendable {
    static let all = DetailTexts()
    let photographer = Text("Photographer", "Fotograf", "Photographe", "Fotografía", "撮影者", "المصور")
    let date = Text("Date", "Datum", "Date", "Fecha", "日付", "التاريخ")
    let center = Text("Centre", "Zentrum", "Centre", "Centro", "センター", "المركز")
    let location = Text("Place", "Ort", "Lieu", "Lugar", "場所", "المكان")
    let keywords = Text("Keywords", "Stichwörter", "Mots-clés", "Etiquetas", "キーワード", "كلمات مفتاحية")
    let credit = Text("Credit", "Nachweis", "Crédit", "Crédito", "クレジット", "حقوق الصورة")
    let license = Text("Licence", "Lizenz", "Licence", "Licencia", "ライセンス", "الترخيص")
    let kind = Text("Kind", "Art", "Type", "Tipo", "種類", "النوع")
    let original = Text("Original", "Original", "Original", "Original", "元の写真", "الأصل")
    let page = Text("Page", "Seite", "Page", "Página", "ページ", "الصفحة")
    let heading = Text("One photo", "Ein Foto", "Une photo", "Una foto", "写真", "صورة واحدة")
    let atLast = Text(
        "This is the last photo", "Das ist das letzte Foto", "C’est la dernière photo", "Es la última foto", "最後の写真です",
        "هذه آخر صورة")
    let atFirst = Text(
        "This is the first photo", "Das ist das erste Foto", "C’est la première photo", "Es la primera foto", "最初の写真です",
        "هذه أول صورة")
    /// The name of Tab while the text is shown.
    let picture = Text("picture", "Bild", "image", "imagen", "画像", "الصورة")
    /// The names of next and previous together.
    let photoPair = Text("photo", "Foto", "photo", "foto", "写真", "صورة")
    let picturePair = Text("picture", "Bild", "image", "imagen", "画像", "لقطة")
    let copied = Template(
        { "Copied: \($0)" }, { "Kopiert: \($0)" }, { "Copié : \($0)" }, { "Copiado: \($0)" }, { "コピーしました: \($0)" },
        { "نُسخ: \($0)" })
    let opened = Template(
        { "Opened: \($0)" }, { "Geöffnet: \($0)" }, { "Ouvert : \($0)" }, { "Abierto: \($0)" }, { "開きました: \($0)" },
        { "فُتح: \($0)" })
    let link = Template(
        { "Page: \($0)" }, { "Seite: \($0)" }, { "Page : \($0)" }, { "Página: \($0)" }, { "ページ: \($0)" },
        { "الصفحة: \($0)" })
    let cannotOpen = Template(
        { "Cannot open the page: \($0)" }, { "Die Seite lässt sich nicht öffnen: \($0)" },
        { "Impossible d’ouvrir la page : \($0)" }, { "No se puede abrir la página: \($0)" }, { "ページを開けません: \($0)" },
        { "تعذر فتح الصفحة: \($0)" })
    let cannotView = Template(
        { "Cannot open the picture: \($0)" }, { "Das Bild lässt sich nicht öffnen: \($0)" },
        { "Impossible d’ouvrir l’image : \($0)" }, { "No se puede abrir la foto: \($0)" }, { "画像を開けません: \($0)" },
        { "تعذر فتح الصورة: \($0)" })
    let fetching = Text(
        "Fetching the picture for the viewer", "Das Bild wird für das Anzeigeprogramm geholt",
        "L’image est chargée pour la visionneuse", "Se descarga la foto para el visor", "ビューアー用に画像を取得中",
        "جارٍ جلب الصورة للعارض")
    let noViewer = Text(
        "No image viewer over ssh; y copies the address",
        "Über ssh gibt es kein Anzeigeprogramm; y kopiert die Adresse",
        "Pas de visionneuse par ssh ; y copie l’adresse", "Por ssh no hay visor; y copia la dirección",
        "ssh ではビューアーを使えません。y でアドレスをコピー", "لا عارض عبر ssh؛ ينسخ y العنوان")
    let nothingToCopy = Text(
        "No address to copy", "Es gibt keine Adresse zum Kopieren", "Aucune adresse à copier",
        "No hay dirección que copiar", "コピーするアドレスがありません", "لا يوجد عنوان لنسخه")
    let noPage = Text(
        "This photo has no page", "Dieses Foto hat keine Seite", "Cette photo n’a pas de page",
        "Esta foto no tiene página", "この写真のページはありません", "ليس لهذه الصورة صفحة")
}

extension UIStrings { var detail: Localized<DetailTexts> { Localized(.all, language) } }
