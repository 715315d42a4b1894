internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

package enum AnimationChoice: String, CaseIterable, Hashable, Sendable {
    case none
    /// The selected photo's, and that of one photo in full.
    case selected
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
        guard images.animates != .none, !coversContent, let list else { return [] }
        var keys = images.requests.visible.map(\.key)
        if case .list = content, images.animates == .selected {
            let isShown = geometry.positions(from: list.topRow).contains(list.selected)
            let photo = isShown ? list.photo(at: list.selected) : nil
            keys = [photo.flatMap { thumbnailKey(of: $0, in: geometry) }].compactMap(\.self)
        }
        return keys.filter { key in
            guard let picture = images.pictures[key], picture.isFinal else { return false }
            return key.region == .whole && picture.facts?.mayMove == true
        }
    }
}

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

    func plays(_ key: PictureKey, _ number: Int) -> Bool { players[key]?.number == number }
}

extension Action {
    static let toggleAnimation = Action(
        "toggleAnimation", "animation", "Animation", "animation", "animación", "アニメーション", "حركة", needsImages: true)
}

extension KeyTable {
    static let animation = bind(in: photos.union([.detail]), ([.plain("a")], .toggleAnimation))
}

extension Setting {
    static let animations = Setting(
        "animations", \.animates, of: { _ in AnimationChoice.allCases }, needsImages: true,
        label: Text("Animations", "Animationen", "Animations", "Animaciones", "アニメーション", "الرسوم المتحركة")
    ) { choice, context in
        switch choice {
        case .none: context.strings.settings.off
        case .selected: context.strings("selected", "ausgewählte", "sélectionnée", "seleccionada", "選択中", "المحددة")
        case .all: context.strings("all", "alle", "toutes", "todas", "すべて", "الكل")
        }
    }
}

final class AnimationTexts: Sendable {
    static let all = AnimationTexts()
    let on = Text(
        "Animations playing", "Animationen laufen", "Les animations sont lues", "Las animaciones se reproducen",
        "アニメーションを再生します", "الرسوم المتحركة تعمل")
    let off = Text(
        "Animations stopped", "Animationen stehen still", "Les animations sont figées", "Las animaciones están quietas",
        "アニメーションを停止しました", "الرسوم المتحركة متوقفة")
}

extension UIStrings { var animation: Localized<AnimationTexts> { Localized(.all, language) } }
