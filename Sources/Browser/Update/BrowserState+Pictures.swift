internal import SpyglassTerminalUI

extension BrowserState {
    mutating func receive(_ picture: Picture, for key: PictureKey) {
        guard let present = pictures[key] else { return }
        switch (present, picture) {
        case (.shown, .loading): return
        case (.shown(let image, let isFinal, _), .failed):
            // What is shown is better than why nothing newer came.
            pictures[key] = .shown(image, isFinal: isFinal, isStale: true)
            revalidating.remove(key)
        case (_, .shown(_, isFinal: true, _)), (_, .failed):
            pictures[key] = picture
            revalidating.remove(key)
        default: pictures[key] = picture
        }
    }

    /// Wants the pictures of what is on the screen and around it, if that has changed, and forgets all others.
    mutating func settlePictures() {
        var wanted = pictureWishes()
        let visible = Set(wanted.visible.map(\.key))
        var kept: [PictureKey: Picture] = [:]
        for wish in wanted.visible + wanted.near {
            let isNewInView = visible.contains(wish.key) && !seen.contains(wish.key)
            switch pictures[wish.key] {
            case .failed where isNewInView: kept[wish.key] = .loading
            case let picture: kept[wish.key] = picture ?? .loading
            }
        }
        pictures = kept
        seen = visible
        revalidating = revalidating.filter { kept[$0] != nil }
        wanted.visible.removeAll { kept[$0.key]?.hasFailed == true }
        wanted.near.removeAll { kept[$0.key]?.hasFailed == true }
        guard wanted != wishes else { return }
        wishes = wanted
        want(.want(wanted))
    }
}

extension Picture {
    fileprivate var hasFailed: Bool { if case .failed = self { true } else { false } }
}
