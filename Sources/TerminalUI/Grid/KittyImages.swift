internal import Glibc

/// Sends images to a terminal that keeps them under ids, and deletes the least recently shown.
struct KittyImages: Sendable {
    /// Ids of a process.
    static let maxCount = 256
    /// Maximum bytes of images in the terminal: the smallest known quota is 128 MB (Contour), kitty's is 320.
    static let maxMemory = 120_000_000
    /// The first id, by process: eight digits, and 24 bits, since placeholders carry the id as a colour.
    static let firstID: UInt32 = {
        let first: UInt32 = 0x9897  // times 256 the smallest number above ten million
        return (first + UInt32(truncatingIfNeeded: getpid()) % (0x1_0000 - first)) << 8
    }()

    private struct Entry {
        let number: UInt32
        let memory: Int
        /// A frame of an animation is deleted once two others have replaced it.
        let isFrame: Bool
        var lastShown: Int
        /// The bytes of complete transmissions that the terminal has of an image sent in part.
        var sent = 0
        /// `PixelPayload.playCount` of the last time that it was told to play.
        var playCount = 0
        /// Whether the terminal has the whole image.
        var isReady = false
    }

    /// By id, from `firstID`.
    private var entries: [Entry?] = []
    private var slots: [UInt32: Int] = [:]
    /// The transmission in progress.
    private var sending: (payload: PixelPayload, offset: Int)?
    private var frame = 0
    private let maxMemory: Int
    private(set) var isInsideTmux = false
    /// Whether the terminal waits for the rest of a transmission.
    private(set) var isOpen = false
    /// The bytes of shared memory that were named in this frame.
    private(set) var sharedBytes = 0

    init(maxMemory: Int = KittyImages.maxMemory) { self.maxMemory = maxMemory }

    var isUnused: Bool { entries.isEmpty }
    /// The number of ids that have been used.
    var usedCount: Int { entries.count }

    /// Returns the id of an image; `nil` if the terminal lacks it.
    func id(of number: UInt32) -> UInt32? {
        guard let slot = slots[number], entries[slot]?.isReady == true else { return nil }
        return Self.id(slot)
    }

    /// Whether the terminal can take an image without losing another.
    func hasRoom(for payload: PixelPayload) -> Bool {
        let known = entries.compactMap(\.self)
        return known.count < Self.maxCount && known.reduce(payload.memory) { $0 + $1.memory } <= maxMemory
    }

    static func id(_ slot: Int) -> UInt32 { firstID + UInt32(slot) }

    /// Begins a frame that shows some images.
    mutating func begin(_ numbers: some Sequence<UInt32>) {
        frame += 1
        sharedBytes = 0
        for number in numbers {
            if let slot = slots[number] { entries[slot]?.lastShown = frame }
        }
    }

    /// Assumes that the terminal has no images: they are sent again under their ids.
    mutating func forget() {
        for slot in entries.indices {
            entries[slot]?.isReady = false
            entries[slot]?.sent = 0
        }
        sending = nil
    }

    /// Sends missing images: at least one sequence, no more beyond `limit` bytes.
    ///
    /// The next call continues an image that does not fit. Only the first image may be sent in part, since no other
    /// command may come between its parts.
    /// - Returns: the bytes, and whether the terminal then has all images that fit its memory.
    mutating func send(_ missing: [PixelPayload], limit: Int) -> (bytes: [UInt8], isComplete: Bool) {
        var bytes = sending.map { missing.contains($0.payload) } == true ? [] : close()
        var rest = missing[...]
        if let sending, let index = rest.firstIndex(of: sending.payload) { rest.swapAt(rest.startIndex, index) }
        while let payload = rest.popFirst() {
            let left = limit - bytes.count
            guard bytes.isEmpty || left >= payload.bytes.count else { return (bytes, false) }
            guard let slot = slots[payload.number] ?? room(for: payload, &bytes) else { continue }
            isInsideTmux = payload.isInsideTmux
            let start = sending?.offset ?? entries[slot]?.sent ?? 0
            let end = payload.end(of: start, limit: start + min(max(left, 1), payload.bytes.count))
            bytes += payload.transmission(start..<end, id: Self.id(slot))
            sharedBytes += payload.sharedBytes(in: start..<end)
            isOpen = end < payload.bytes.count
            sending = isOpen ? (payload, end) : nil
            guard !isOpen else { return (bytes, false) }
            entries[slot]?.isReady = true
        }
        return (bytes, true)
    }

    /// Tells the terminal to play shown animations again that ask for it, unless it waits for the rest of an image.
    mutating func resume(_ animations: [PixelPayload]) -> [UInt8] {
        guard !isOpen else { return [] }
        return animations.flatMap { animation -> [UInt8] in
            guard let slot = slots[animation.number], let count = entries[slot]?.playCount, count < animation.playCount
            else { return [] }
            entries[slot]?.playCount = animation.playCount
            return KittyCommands(isInsideTmux: animation.isInsideTmux).resume(Self.id(slot))
        }
    }

    /// Ends a transmission that is not continued: it is incomplete, so the terminal drops the image, or only the frame.
    mutating func close() -> [UInt8] {
        guard isOpen else { return [] }
        let complete = sending.map { $0.payload.start(ofTransmissionAt: $0.offset) } ?? 0
        if let number = sending?.payload.number, let slot = slots[number] { entries[slot]?.sent = complete }
        isOpen = false
        sending = nil
        let commands = KittyCommands(isInsideTmux: isInsideTmux)
        return complete > 0 ? commands.endOfFrame : commands.end
    }

    /// Finds a free id, deleting the least recently shown images if necessary; `nil` if all are on the screen.
    private mutating func room(for payload: PixelPayload, _ bytes: inout [UInt8]) -> Int? {
        guard payload.memory <= maxMemory else { return nil }
        // The last frame stays on the screen until this one is drawn.
        for slot in entries.indices {
            if let entry = entries[slot], entry.isFrame, entry.lastShown < frame - 1 {
                delete(slot, isInsideTmux: payload.isInsideTmux, &bytes)
            }
        }
        var memory = entries.reduce(payload.memory) { $0 + ($1?.memory ?? 0) }
        while true {
            let free = entries.firstIndex { $0 == nil } ?? (entries.count < Self.maxCount ? entries.count : nil)
            if let free, memory <= maxMemory {
                if free == entries.count { entries.append(nil) }
                entries[free] = Entry(
                    number: payload.number, memory: payload.memory, isFrame: payload.isFrame, lastShown: frame)
                slots[payload.number] = free
                return free
            }
            let old = entries.indices.filter { entries[$0].map { $0.lastShown < frame } ?? false }
                .min { (entries[$0]?.lastShown ?? 0) < (entries[$1]?.lastShown ?? 0) }
            guard let old, let entry = entries[old] else { return nil }
            memory -= entry.memory
            delete(old, isInsideTmux: payload.isInsideTmux, &bytes)
        }
    }

    private mutating func delete(_ slot: Int, isInsideTmux: Bool, _ bytes: inout [UInt8]) {
        bytes += KittyCommands(isInsideTmux: isInsideTmux).clearing(of: Self.id(slot))
        if let number = entries[slot]?.number { slots[number] = nil }
        entries[slot] = nil
    }
}
