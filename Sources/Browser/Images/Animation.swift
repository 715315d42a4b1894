internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Which animations play.
package enum AnimationChoice: String, CaseIterable, Hashable, Sendable {
    case none
    /// The selected photo's, and that of one photo in full.
    case selected
    /// All on the screen.
    case all
}

extension AppState {
    mutating func toggleAnimation() {
        let choice = preferences.animates == .none ? .selected : preferences.animates
        images.animates = images.animates == .none ? choice : .none
        notice = .animation(isOn: images.animates != .none)
    }

    /// Plays what should, and releases everything else: what scrolled out, lost the selection, is covered or enlarged.
    mutating func reconcileAnimations(_ effects: inout Effects) {
        let wanted = wantedAnimations
        if images.play(wanted) { effects.append(.play(wanted)) }
    }

    private var wantedAnimations: [PictureKey] {
        guard images.animates != .none, !coversContent, list != nil else { return [] }
        return animationCandidates.filter { key in
            guard key.region == .whole, case .shown(_, let facts, isFinal: true, _)? = images.pictures[key] else {
                return false
            }
            return facts.mayMove
        }
    }

    private var animationCandidates: [PictureKey] {
        if case .list = content, images.animates == .selected, let list {
            guard geometry.positions(from: list.topRow).contains(list.selected) else { return [] }
            return list.photo(at: list.selected).flatMap { thumbnailKey(of: $0, in: geometry) }.map { [$0] } ?? []
        }
        return images.requests.visible.map(\.key)
    }
}

// MARK: - Playing

extension PictureLoader {
    /// The animation of an image on the screen; its canvas is released when the task ends.
    struct Player {
        let number: Int
        let task: Task<Void, Never>
    }

    /// Plays the animations of these images, and ends all others.
    ///
    /// Frames are characters, also where images are pixels: an image in pixels would exceed what may be in flight.
    mutating func play(_ keys: [PictureKey]) {
        for (key, player) in players where !keys.contains(key) {
            player.task.cancel()
            players[key] = nil
        }
        guard let pipeline else { return }
        for key in keys where players[key] == nil {
            lastNumber += 1
            let request = imageRequest(for: PictureRequest(key: key), .near)
            players[key] = Player(
                number: lastNumber,
                task: Task { [number = lastNumber, renderer, queue] in
                    // An animation that cannot be played stays as its first frame.
                    guard let animation = try? await pipeline.animation(for: request) else { return }
                    try? await pipeline.player.play(animation) {
                        renderer.preview(of: $0, for: key)
                    } show: {
                        queue.add(.frame(key, $0, player: number))
                    }
                })
        }
    }

    /// Returns whether the player of a frame is still wanted.
    func plays(_ key: PictureKey, _ number: Int) -> Bool { players[key]?.number == number }
}
