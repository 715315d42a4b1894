internal import SpyglassTerminalUI

extension BrowserState {
    /// Takes a picture in; what is wanted changes only when it failed or was asked about.
    mutating func receive(_ picture: Picture, for key: PictureKey) {
        guard let present = pictures[key] else { return }
        let isAnswer = picture.hasFailed || picture.isFinal
        switch (present, picture) {
        case (.shown, .loading): return
        // While the server is asked whether it has changed, its coarse forms come again.
        case (.shown(_, isFinal: true, _), .shown(_, isFinal: false, _)): return
        case (.shown(let image, let isFinal, _), .failed):
            // What is shown is better than why nothing newer came.
            pictures[key] = .shown(image, isFinal: isFinal, isStale: true)
        default: pictures[key] = picture
        }
        // A whole picture stays, whatever became of asking for it again.
        let isLost = picture.hasFailed && !present.isFinal && key.box == detailGeometry.box
        if isLost { lostRenditions.insert(key.address) }
        let wasAsked = isAnswer && revalidating.remove(key) != nil
        if wasAsked || isLost || pictures[key]?.hasFailed == true { reconcilePictures() }
    }

    /// Those that failed are wanted again, from their servers: what these said is remembered for a while.
    mutating func retryPictures() {
        lostRenditions = []
        for (key, picture) in pictures where picture.hasFailed {
            pictures[key] = .loading
            revalidating.insert(key)
        }
    }

    /// Wants the pictures of what is on the screen and around it, if that has changed, and forgets all others.
    mutating func reconcilePictures() {
        var wanted = pictureRequests()
        let visible = Set(wanted.visible.map(\.key))
        var kept: [PictureKey: Picture] = [:]
        for request in wanted.visible + wanted.near {
            let isNewInView = visible.contains(request.key) && !seen.contains(request.key)
            switch pictures[request.key] {
            case .failed where isNewInView: kept[request.key] = .loading
            case let picture: kept[request.key] = picture ?? .loading
            }
        }
        pictures = kept
        seen = visible
        revalidating = revalidating.filter { kept[$0] != nil }
        wanted.visible.removeAll { kept[$0.key]?.hasFailed == true }
        wanted.near.removeAll { kept[$0.key]?.hasFailed == true }
        guard wanted != requests else { return }
        requests = wanted
        want(.requestPictures(wanted))
    }
}

extension Picture {
    var hasFailed: Bool { if case .failed = self { true } else { false } }

    fileprivate var isFinal: Bool { if case .shown(_, isFinal: true, _) = self { true } else { false } }
}
