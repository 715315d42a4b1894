internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

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
            let photo = isShown ? list.selectedPhoto : nil
            keys = [photo.flatMap { thumbnailKey(of: $0, in: geometry) }].compactMap(\.self)
        }
        return keys.filter { key in
            guard let picture = images.pictures[key], picture.isFinal else { return false }
            return key.region == .whole && picture.facts?.mayMove == true
        }
    }
}

extension PictureLoader {
    /// The maximum memory of the animations that the terminal plays, in bytes: half of what it keeps in all.
    private static let maxTerminalMemory = 64_000_000
    /// The maximum bytes of a frame in pixels, which delays a key; frames of a longer one are characters.
    private static let maxFrameBytes = 64 << 10

    /// Plays the animations of these images, and ends all others.
    ///
    /// kitty gets all frames once, and plays them itself. Other terminals get one frame after the other, in pixels if that
    /// takes few bytes, else in characters.
    mutating func play(_ keys: [PictureKey]) {
        for (key, player) in players where !keys.contains(key) {
            player.task.cancel()
            players[key] = nil
        }
        guard let pipeline else { return }
        for key in keys where players[key] == nil {
            lastNumber += 1
            let request = imageRequest(for: PictureRequest(key: key), .near)
            players[key] = (
                lastNumber,
                Task { [number = lastNumber, renderer, queue] in
                    let memory = Self.maxTerminalMemory / keys.count
                    let show: @Sendable (CellImage) -> Void = { queue.add(.frame(key, $0, player: number)) }
                    // An animation that cannot be played stays as its first frame.
                    if renderer.isPlayedByTerminal(key),
                        var image = try? await Self.animation(of: request, key, renderer, pipeline, memory)
                    {
                        // kitty 0.26 forgets an animation that it should play before it has drawn it: it is told again.
                        while !Task.isCancelled {
                            show(image)
                            image = image.playedAgain
                            try? await pipeline.player.wait(.seconds(1))
                        }
                        return
                    }
                    guard !Task.isCancelled, let animation = try? await pipeline.animation(for: request) else { return }
                    let isLarge = Mutex(!renderer.encodes(key))
                    try? await pipeline.player.play(animation) { pixels in
                        let preview = renderer.preview(of: pixels, for: key)
                        guard !isLarge.withLock({ $0 }) else { return preview }
                        let image = renderer.adding(pixels, to: preview, for: key).asFrame
                        guard image.pixelBytes > Self.maxFrameBytes else { return image }
                        // Frames that change between pixels and characters would flicker.
                        isLarge.withLock { $0 = true }
                        return preview
                    } show: {
                        show($0)
                    }
                }
            )
        }
    }

    /// An animation that the terminal plays; `nil` if its frames take more memory.
    private static func animation(
        of request: ImageRequest, _ key: PictureKey, _ renderer: CellRenderer, _ pipeline: ImagePipeline, _ memory: Int
    ) async throws -> CellImage? {
        var request = request
        request.target = renderer.playedTarget(for: key)
        guard let animation = try await pipeline.animation(for: request) else { return nil }
        let result = try await pipeline.player.frames(of: animation, maxBytes: memory) { frame, number in
            let frame = try renderer.playedFrame(
                frame.pixels, number: number, lasting: frame.duration, of: animation.info.size, for: key)
            return (frame, frame.memory)
        }
        return result.flatMap { renderer.animation(of: $0.frames, plays: $0.plays, for: key) }
    }

    func plays(_ key: PictureKey, _ number: Int) -> Bool { players[key]?.number == number }
}

extension Action {
    static let toggleAnimation = Action(
        "toggleAnimation", "play/stop GIFs", "GIFs an/aus", "lire/arrêter les GIF", "GIF sí/no", "GIF の再生/停止",
        "تشغيل/إيقاف GIF", needsImages: true)
}

extension KeyTable {
    static let animation = bind(in: photos.union([.detail]), ([.plain("a")], .toggleAnimation))
}

extension Setting {
    static let animations = Setting(
        "animations", \.animates, of: { _ in AnimationChoice.allCases }, needsImages: true,
        label: Text("Animations", "Animationen", "Animations", "Animaciones", "アニメーション", "الرسوم المتحركة"),
        explanation: Text(
            "Which GIFs and other animations play by themselves",
            "Welche GIFs und anderen Animationen von selbst laufen",
            "Les GIF et autres animations lus d’eux-mêmes", "Qué GIF y otras animaciones se reproducen solas",
            "自動で再生する GIF などのアニメーション", "أي صور GIF ورسوم متحركة تعمل تلقائيًا")
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
