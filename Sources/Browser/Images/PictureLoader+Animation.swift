internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI

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
                    // What cannot be played stays as it is: its first frame is shown.
                    guard let animation = try? await pipeline.animation(for: request) else { return }
                    try? await pipeline.player.play(animation) {
                        renderer.preview(of: $0, for: key)
                    } show: {
                        queue.add(.frame(key, $0, player: number))
                    }
                })
        }
    }

    /// Whether the player of a frame is still wanted.
    func plays(_ key: PictureKey, _ number: Int) -> Bool { players[key]?.number == number }
}
