internal import SpyglassThreads

/// A `PriorityQueue` that parks a fetch whose host is busy with that host, so that no other fetch waits behind it.
struct FetchQueue<Fetch, Host: Hashable> {
    struct Item {
        let fetch: Fetch
        let host: Host
        var isParked = false
    }

    /// The position of a fetch, valid after the fetch is taken out, for a redirect.
    typealias Handle = PriorityQueue<Item>.Handle

    /// Fetches whose host may have capacity.
    private var ready = PriorityQueue<Item>()
    /// Fetches whose host had none when `next` met them.
    private var parked: [Host: PriorityQueue<Item>] = [:]
    private(set) var count = 0

    /// Inserts a fetch behind all others of its priority.
    mutating func insert(_ fetch: Fetch, host: Host, priority: FetchPriority) -> Handle {
        count += 1
        return ready.insert(Item(fetch: fetch, host: host), priority: priority.rawValue)
    }

    /// Inserts a fetch again at the position it was taken from, now for another host.
    mutating func reinsert(_ fetch: Fetch, at handle: Handle, host: Host, priority: FetchPriority) {
        guard handle.element == nil else { return }
        count += 1
        ready.insert(Item(fetch: fetch, host: host), at: handle, priority: priority.rawValue)
    }

    /// Changes a priority; within the new one the order of insertion counts.
    mutating func move(_ handle: Handle, to priority: FetchPriority) {
        guard let item = handle.element, handle.priority != priority.rawValue else { return }
        if item.isParked {
            removeParked(handle, item.host)
            ready.insert(Item(fetch: item.fetch, host: item.host), at: handle, priority: priority.rawValue)
        } else {
            ready.move(handle, to: priority.rawValue)
            // It may have been unparked: another of its host may be next now.
            unparkOne(at: item.host)
        }
    }

    mutating func remove(_ handle: Handle) {
        guard let item = handle.element else { return }
        count -= 1
        if item.isParked { return removeParked(handle, item.host) }
        ready.remove(handle)
        // It may have been unparked: its turn goes to the next of its host.
        unparkOne(at: item.host)
    }

    /// Removes and returns the first fetch whose host has capacity.
    mutating func next(hasCapacity: (Host) -> Bool) -> Fetch? {
        while let handle = ready.popHandle(), let host = handle.element?.host {
            if hasCapacity(host) {
                count -= 1
                return handle.element.take()?.fetch
            }
            handle.element?.isParked = true
            parked[host, default: PriorityQueue()].insert(handle)
        }
        return nil
    }

    /// Makes one parked fetch ready; for when a host has capacity for one more transfer.
    mutating func unparkOne(at host: Host) {
        guard !parked.isEmpty, let handle = parked[host]?.popHandle() else { return }
        if parked[host]?.isEmpty == true { parked[host] = nil }
        makeReady(handle)
    }

    /// Makes all parked fetches of a host ready; for when it has capacity for several more.
    mutating func unparkAll(at host: Host) {
        for handle in parked.removeValue(forKey: host)?.handles ?? [] { makeReady(handle) }
    }

    private mutating func makeReady(_ handle: Handle) {
        handle.element?.isParked = false
        ready.insert(handle)
    }

    private mutating func removeParked(_ handle: Handle, _ host: Host) {
        parked[host]?.remove(handle)
        if parked[host]?.isEmpty == true { parked[host] = nil }
    }
}
