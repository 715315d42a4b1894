internal import SpyglassCatalog
internal import SpyglassPixels

extension BrowserState {
    /// The error of a ratio that moves nothing.
    private static let ratioTolerance = 0.02

    /// Stores an image; requests change only if it failed or was revalidated.
    mutating func receive(_ picture: Picture, for key: PictureKey) {
        guard let present = pictures[key] else { return }
        let isAnswer = picture.hasFailed || picture.isFinal
        if isAnswer { transferProgress[key] = nil }
        switch (present, picture) {
        case (.shown, .loading): return
        // A revalidation sends previews again.
        case (.shown(_, _, isFinal: true, _), .shown(_, _, isFinal: false, _)): return
        case (.shown(let image, let facts, let isFinal, _), .failed):
            // A stale image is better than a failure.
            pictures[key] = .shown(image, facts, isFinal: isFinal, isStale: true)
        case (.shown(_, let facts, _, _), .shown(let image, let newFacts, isFinal: false, let isStale))
        where newFacts.size == nil:
            pictures[key] = .shown(image, facts, isFinal: false, isStale: isStale)
        default: pictures[key] = picture
        }
        let isNews = learn(from: key)
        // A complete image stays if its revalidation fails.
        let isLost = picture.hasFailed && !present.isFinal && key.isFull
        if picture.hasFailed, !key.isFull, lostPreviews.count < PagedPhotos.rememberedIDs {
            lostPreviews.insert(key.source)
        }
        if isLost, key.region == .whole { lostRenditions.insert(key.source) }
        if isLost, key.region != .whole, case .failed(let failure) = picture {
            lostParts.insert(key.source)
            notice = .cannotEnlarge(failure)
        }
        let wasAsked = isAnswer && revalidating.remove(key) != nil
        // Home shows another picture instead.
        let isLostAtHome = picture.hasFailed && list == nil
        if isNews || wasAsked || isLost || isLostAtHome || pictures[key]?.hasFailed == true { reconcilePictures() }
        reconcilePlaying()
        reconcileSlideshow()
    }

    /// Learns the ratio of the photo in full, once, if it was unknown or wrong, and its size.
    ///
    /// Returns whether the layout changes, or which part of an enlarged photo is visible.
    private mutating func learn(from key: PictureKey) -> Bool {
        let index = screens.lastIndex { if case .detail = $0 { true } else { false } }
        guard let index, case .detail(var screen) = screens[index], let photo = list?.photo(at: screen.position),
            screen.photoID == photo.id
        else { return false }
        let isInFull = key.isFull && photo.sources.contains(key.source)
        let facts = isInFull ? pictures[key]?.facts : nil
        let isWhole = isInFull && key.region == .whole
        var isNews = false
        if !screen.isRatioCertain,
            let ratio = isWhole ? facts?.ratio : screen.ratio == nil ? knownRatio(of: photo) : nil
        {
            screen.isRatioCertain = isWhole
            let isNear = screen.ratio.map { abs(ratio / $0 - 1) < Self.ratioTolerance } ?? false
            if !isNear { screen.ratio = ratio }
            isNews = !isNear
        }
        if let size = facts?.size, size.pixelCount > screen.size?.pixelCount ?? 0 {
            screen.size = size
            isNews = true
        }
        screens[index] = .detail(screen)
        return isNews
    }

    mutating func retryPictures() {
        forgetLostPictures()
        for (key, picture) in pictures where picture.hasFailed {
            pictures[key] = .loading
            revalidating.insert(key)
        }
    }

    mutating func forgetLostPictures() {
        lostRenditions = []
        lostParts = []
        lostPreviews = []
    }

    /// Requests the images of the screen and around it if they have changed; drops all others.
    mutating func reconcilePictures() {
        renewLostRenditions()
        var wanted = pictureRequests()
        let visible = coversContent ? [] : Set(wanted.visible.map(\.key))
        var kept: [PictureKey: Picture] = [:]
        for request in wanted.visible + wanted.near {
            let isNewInView = visible.contains(request.key) && !seen.contains(request.key)
            switch pictures[request.key] {
            case .failed where isNewInView: kept[request.key] = .loading
            case let picture: kept[request.key] = picture ?? heldPicture(for: request.key) ?? .loading
            }
        }
        pictures = kept
        transferProgress = transferProgress.filter { kept[$0.key] != nil }
        seen = visible
        revalidating = revalidating.filter { kept[$0] != nil }
        wanted.visible.removeAll { kept[$0.key]?.hasFailed == true }
        wanted.near.removeAll { kept[$0.key]?.hasFailed == true }
        guard wanted != requests else { return }
        requests = wanted
        emit(.requestPictures(wanted))
    }
}

extension BrowserState {
    /// Whether another screen hides all images.
    var coversContent: Bool {
        switch baseScreen {
        case .help, .settings: true
        default: false
        }
    }

    /// Tries a large image again when its photo comes into view.
    private mutating func renewLostRenditions() {
        guard !lostRenditions.isEmpty || !lostParts.isEmpty, !coversContent, case .detail(let detail) = content,
            let sources = list?.photo(at: detail.position)?.sources
        else { return }
        if !seen.contains(where: { $0.isFull && sources.contains($0.source) }) { forgetLostPictures() }
    }
}

extension Picture {
    var hasFailed: Bool { if case .failed = self { true } else { false } }

    /// What is known of the image's file, once something of it is shown.
    var facts: PictureFacts? { if case .shown(_, let facts, _, _) = self { facts } else { nil } }

    var isFinal: Bool { if case .shown(_, _, isFinal: true, _) = self { true } else { false } }
}
