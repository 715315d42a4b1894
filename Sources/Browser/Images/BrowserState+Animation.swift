internal import SpyglassCatalog
internal import SpyglassPixels

extension BrowserState {
    /// Plays what should, and releases everything else: what scrolled out, lost the selection, or is covered or enlarged.
    mutating func reconcilePlaying() {
        let wanted = wantedAnimations
        guard wanted != playing else { return }
        playing = wanted
        frames = frames.filter { wanted.contains($0.key) }
        emit(.play(wanted))
    }

    mutating func toggleAnimation() {
        let choice = preferences.animates == .none ? .selected : preferences.animates
        animates = animates == .none ? choice : .none
        notice = .animation(isOn: animates != .none)
    }

    /// The picture as it is drawn: the frame of one that plays.
    func shownPicture(for key: PictureKey) -> Picture? {
        guard let frame = frames[key], case .shown(_, let facts, let isFinal, let isStale)? = pictures[key] else {
            return pictures[key]
        }
        return .shown(frame, facts, isFinal: isFinal, isStale: isStale)
    }

    private var wantedAnimations: [PictureKey] {
        guard animates != .none, !coversContent, list != nil else { return [] }
        return animationCandidates.filter { key in
            guard key.region == .whole, case .shown(_, let facts, isFinal: true, _)? = pictures[key] else {
                return false
            }
            return facts.mayMove
        }
    }

    private var animationCandidates: [PictureKey] {
        if case .list = content, animates == .selected, let list {
            guard geometry.positions(from: list.topRow).contains(list.selected) else { return [] }
            return list.photo(at: list.selected).flatMap { thumbnailKey(of: $0, in: geometry) }.map { [$0] } ?? []
        }
        return requests.visible.map(\.key)
    }
}
