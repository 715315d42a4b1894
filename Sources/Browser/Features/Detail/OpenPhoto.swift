internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassTerminalUI

extension Action {
    static let openPage = Action(
        "openPage", "open page", "Seite öffnen", "ouvrir la page", "abrir página", "ページを開く", "فتح الصفحة")
    static let openPicture = Action(
        "openPicture", "open in viewer", "im Bildbetrachter öffnen", "ouvrir l’image", "abrir en el visor", "ビューアーで開く",
        "فتح في العارض")
    static let copyAddress = Action(
        "copyAddress", "copy address", "Adresse kopieren", "copier l’adresse", "copiar dirección", "アドレスをコピー",
        "نسخ العنوان")
}

extension KeyTable {
    static let opening = [
        KeyBinding(keys: [.plain("o")], action: .openPage, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("O")], action: .openPicture, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain("y")], action: .copyAddress, scopes: photos.union([.detail])),
    ]
}

extension AppState {
    mutating func openPage(of photo: Photo, _ effects: inout Effects) {
        guard let page = photo.shareable else {
            notice = .noPage
            return
        }
        // Over ssh, the user would not see a browser here.
        if traits.isRemote { notice = .link(page.text) } else { effects.append(.open(page)) }
    }

    /// Opens the selected picture in the desktop's viewer.
    mutating func openPicture(_ effects: inout Effects) {
        guard let item = selectedItem, item.mayHaveSource else {
            notice = .nothingToSave
            return
        }
        guard !traits.isRemote else {
            notice = .noViewer
            return
        }
        if item.photo.file == nil { notice = .fetching }
        effects.append(.view(item))
    }

    mutating func copyAddress(of photo: Photo, _ effects: inout Effects) {
        // Text cannot hold the bytes of every path.
        let text = photo.file.map { String(validating: $0.path, as: UTF8.self) } ?? photo.shareable?.text
        guard let text else {
            notice = .nothingToCopy
            return
        }
        effects.append(.copy(text))
        notice = .copied(photo.file == nil ? photo.shareable.map { "\($0)" } ?? text : text)
    }
}
