internal import SpyglassCatalog

extension AppState {
    /// Screens before the end at which the next page is requested.
    private static let screensAhead = 2
    /// The maximum number of searches that an alert offers, and that are looked up in the cache.
    private static let maxOffers = 5

    /// Adds a page to the list, in place: a second reference would copy every photo.
    mutating func receive(
        _ result: Result<PageAnswer, BrowserError>, _ direction: PageDirection, generation: Int,
        _ effects: inout Effects
    ) {
        guard list?.generation == generation else { return }
        let awaited = list?.awaited
        let isWaitedFor = direction == .next ? list?.isLoadingNext : list?.isLoadingPrevious
        // Not requested, or a duplicate.
        guard isWaitedFor == true else { return }
        if case .waiting? = notice { notice = nil }
        let geometry = geometry
        // A search that cannot be made is not worth offering again.
        let canRetry = if case .failure(let problem) = result { problem.canRetry } else { true }
        if awaited != nil, canRetry, let list, !list.isLocal {
            remember(RecentSearch(list.search, source: options.placeSource(list.source)), &effects)
        }
        if awaited != nil, list?.isLocal == true { forgetFolderProblem() }
        let marked = if case .success(let answer) = result { marks.find(among: answer.photos) } else { 0 }
        if marked > 0, notice?.isWarning != true { notice = .marksFound(marked) }
        switch result {
        case .success(let answer) where awaited != nil:
            // There are fewer results than when the position was saved.
            if answer.photos.isEmpty, list?.awaitedStart.isFirst == false {
                return restart(.selects(0), revalidates: awaited?.isRefresh == true, &effects)
            }
            let before = list
            list?.replace(with: answer, in: geometry)
            forgetDetails()
            if awaited?.isRefresh == true, list?.isQuiet != true {
                notice = answer.isFallback ? .nothingNewer : .refreshed
            }
            if let before, before.isLocal { noticeGoneFiles(of: before) }
            if list?.isLocal == true { rememberFolder(&effects) }
            nameFolders()
            if topDetail != nil { skipFolders() }
            if folders.opensSingleFile { openSingleFile(&effects) }
        case .success(let answer):
            let new = list?.add(answer, direction, in: geometry) ?? []
            for pattern in list?.inversions ?? [] {
                for photo in new where pattern.matches(photo) { marks.toggle(photo) }
            }
        case .failure(let problem):
            // On the way to the end, select the last loaded photo.
            let wanted = if case .selects(let position)? = awaited { position } else { list?.destination }
            if let end = list?.loaded.upperBound, list?.filter == nil, let wanted, wanted >= end {
                list?.select(end - 1)
            }
            let wasWanted = wanted != nil || list?.needsAllFiles == true
            list?.fail(direction, problem)
            if let list, list.photos.isEmpty {
                alert(problem, of: list, &effects)
            } else if awaited != nil || wasWanted {
                notice = .failed(problem)
            }
        }
    }

    mutating func search(
        _ text: String, _ query: PhotoQuery, source: String, at start: PhotoStart, _ effects: inout Effects
    ) {
        endRange()
        savePlace(&effects)
        generation += 1
        let new = PhotoList(generation: generation, search: text, query: query, source: source, at: start)
        list = new
        screens = [.home(SearchScreen()), .list]
        activity.isStale = false
        folders.opensSingleFile = false
        // The home screen may have missed them in the cache.
        images.forgetLost()
        begin(new, revalidates: false, &effects)
    }

    private func begin(_ list: PhotoList, revalidates: Bool, _ effects: inout Effects) {
        effects.append(
            .search(
                generation: list.generation, list.query, source: list.source, start: list.awaitedStart,
                revalidates: revalidates))
    }

    /// Repeats the search; the shown photos stay until the page comes.
    mutating func restart(
        _ arrival: PhotoList.Arrival, revalidates: Bool = false, isQuiet: Bool = false, _ effects: inout Effects
    ) {
        endRange()
        guard var list else { return }
        generation += 1
        list.isQuiet = isQuiet
        list.generation = generation
        list.expect(arrival)
        self.list = list
        begin(list, revalidates: revalidates, &effects)
    }

    mutating func refresh(_ effects: inout Effects) {
        guard let list, list.awaited == nil else { return }
        restart(list.again, revalidates: true, &effects)
        images.revalidating.formUnion(images.requests.visible.map(\.key))
    }

    mutating func retryPages(_ effects: inout Effects) -> Bool {
        guard var list, list.nextProblem != nil || list.previousProblem != nil else { return false }
        if let arrival = list.failed {
            restart(arrival, revalidates: arrival.isRefresh, &effects)
        } else {
            (list.nextProblem, list.previousProblem) = (nil, nil)
            self.list = list
        }
        return true
    }

    mutating func reconcilePages(in geometry: ListGeometry, _ effects: inout Effects) {
        // A filter of a search is of what is loaded: few matches would load everything.
        guard var list, !list.photos.isEmpty, list.filter == nil || list.isLocal, list.awaited == nil,
            list.failed == nil
        else { return }
        let needsAll = list.needsAllFiles
        let screen = Self.screensAhead * geometry.rowsInPart * geometry.columns
        let shown = geometry.positions(from: list.topRow)
        if !list.isAtEnd, !list.isLoadingNext, list.nextProblem == nil,
            needsAll || list.destination ?? .min >= list.positions.upperBound
                || list.positions.upperBound - max(shown.upperBound, list.selected + 1) < screen
        {
            list.isLoadingNext = true
            effects.append(.loadPage(generation: list.generation, .next))
        }
        if !list.isAtStart, !list.isLoadingPrevious, list.previousProblem == nil,
            needsAll || list.destination ?? .max < list.positions.lowerBound
                || min(shown.lowerBound, list.selected) - list.positions.lowerBound < screen
        {
            list.isLoadingPrevious = true
            effects.append(.loadPage(generation: list.generation, .previous))
        }
        self.list = list
    }

    /// A folder is listed again without a key when it changes, so its last problem is over.
    private mutating func forgetFolderProblem() {
        if case .failed? = notice { notice = nil }
        screens.removeAll { screen in
            if case .alert(let alert) = screen, case .folder = alert.subject { true } else { false }
        }
    }

    private mutating func forgetDetails() {
        for index in screens.indices {
            guard case .detail(var screen) = screens[index] else { continue }
            screen.isComplete = false
            screens[index] = .detail(screen)
        }
    }

    /// Puts an alert over the list, below screens that the user has opened since.
    private mutating func alert(_ problem: BrowserError, of list: PhotoList, _ effects: inout Effects) {
        let index = screens.firstIndex(of: .list) ?? screens.count - 1
        var alert = Alert(subject: list.isLocal ? .folder(list.search) : .search(list.search), error: problem)
        let held = (problem.archiveHolds ?? []).filter { $0 != list.search }
        alert.offers = held.prefix(Self.maxOffers).map { RecentSearch($0, source: list.source) }
        if problem.isWithoutNetwork, !list.isLocal {
            if options.sources.contains("demo") { alert.offers = [RecentSearch("", source: "demo")] }
            let searches = home.history.filter { $0.text != list.search || $0.source != list.source }
            if !searches.isEmpty {
                effects.append(.findCached(generation: list.generation, Array(searches.prefix(Self.maxOffers))))
            }
        }
        screens.insert(.alert(alert), at: index + 1)
    }
}
