internal import SpyglassCatalog

extension BrowserState {
    /// The next page is asked for when so many screens are left, so that it is there before the end is reached.
    private static let screensAhead = 2

    /// Takes a page in, or learns that it did not come.
    ///
    /// The list is changed where it stands: with a copy of it beside, every photo would be copied.
    mutating func receive(_ result: Result<PageAnswer, Problem>, _ direction: PageDirection, generation: Int) {
        guard list?.generation == generation else { return }
        let awaited = list?.awaited
        let isWaitedFor = direction == .next ? list?.isLoadingNext : list?.isLoadingPrevious
        // Nobody has asked for it, or it has come already.
        guard isWaitedFor == true else { return }
        let geometry = geometry
        // What nobody can answer is not worth offering again.
        if awaited != nil, result.isWorthRemembering, let search = list?.search { remember(search) }
        switch result {
        case .success(let answer) where awaited != nil:
            // The results have become fewer since the place was kept.
            if answer.photos.isEmpty, list?.awaitedStart.isFirst == false {
                return restart(.selects(0), revalidates: awaited?.isRefresh == true)
            }
            list?.replace(with: answer, in: geometry)
            forgetDetails()
            if awaited?.isRefresh == true { notice = answer.isFallback ? .nothingNewer : .refreshed }
        case .success(let answer): list?.add(answer, direction, in: geometry)
        case .failure(let problem):
            // Whoever was on the way to the end gets as far as there is anything.
            if case .selects(let position)? = awaited, let end = list?.positions.upperBound, position >= end {
                list?.select(end - 1)
            } else if list?.followsEnd == true, let end = list?.positions.upperBound {
                list?.select(end - 1)
            }
            let wasFollowed = list?.followsEnd == true
            list?.fail(direction, problem)
            if let list, list.photos.isEmpty {
                alert(problem, of: list)
            } else if awaited != nil || wasFollowed {
                notice = .failed(problem)
            }
        }
    }

    /// Searches the same again; what is shown stays until the answer is there.
    mutating func restart(_ arrival: PhotoList.Arrival, revalidates: Bool = false) {
        guard var list else { return }
        generation += 1
        list.generation = generation
        list.expect(arrival)
        self.list = list
        want(
            .search(
                generation: generation, list.query, source: list.source, start: list.awaitedStart,
                revalidates: revalidates))
    }

    /// Searches again without what caches hold; the selected photo stays the selected one.
    mutating func refresh() {
        guard let list, list.awaited == nil else { return }
        guard let photo = list.photo(at: list.selected) else { return restart(.selects(0), revalidates: true) }
        restart(.keeps(photoID: photo.id, position: list.selected), revalidates: true)
        revalidating.formUnion(requests.visible.map(\.key))
    }

    /// Asks again for the page that could not be read.
    ///
    /// - Returns: whether there is one.
    mutating func retryPages() -> Bool {
        guard var list, list.nextProblem != nil || list.previousProblem != nil else { return false }
        if let arrival = list.failed {
            restart(arrival, revalidates: arrival.isRefresh)
        } else {
            list.nextProblem = nil
            list.previousProblem = nil
            self.list = list
        }
        return true
    }

    /// Asks for the pages around what is on the screen, before the user gets there.
    mutating func settlePages(in geometry: ListGeometry) {
        guard var list, !list.photos.isEmpty, list.awaited == nil, list.failed == nil else { return }
        let screen = Self.screensAhead * geometry.rowsInPart * geometry.columns
        let shown = geometry.positions(from: list.topRow)
        if !list.isAtEnd, !list.isLoadingNext, list.nextProblem == nil,
            list.positions.upperBound - max(shown.upperBound, list.selected + 1) < screen || list.followsEnd
        {
            list.isLoadingNext = true
            want(.loadPage(generation: list.generation, .next))
        }
        if !list.isAtStart, !list.isLoadingPrevious, list.previousProblem == nil,
            min(shown.lowerBound, list.selected) - list.positions.lowerBound < screen
        {
            list.isLoadingPrevious = true
            want(.loadPage(generation: list.generation, .previous))
        }
        self.list = list
    }

    /// Photos that have come anew are asked for in full anew.
    private mutating func forgetDetails() {
        for index in screens.indices {
            guard case .detail(var screen) = screens[index] else { continue }
            screen.isComplete = false
            screens[index] = .detail(screen)
        }
    }

    /// A first page that did not come stands above its list, and below what the user has opened since.
    private mutating func alert(_ problem: Problem, of list: PhotoList) {
        let alert = Alert(
            subject: .search(list.search), reason: problem.reason, canRetry: problem.canRetry,
            archiveHolds: problem.archiveHolds, kind: problem.kind)
        let index = screens.firstIndex(of: .list) ?? screens.count - 1
        screens.insert(.alert(alert), at: index + 1)
    }
}

extension Result<PageAnswer, Problem> {
    /// Whether the search can be made, even if not now.
    fileprivate var isWorthRemembering: Bool {
        switch self {
        case .success: true
        case .failure(let problem): problem.canRetry
        }
    }
}
