internal import SpyglassFetching

/// Formats the text beside an image, the same in `list` and in the browser.
///
///     let formatter = PhotoFormatter(language: .english)
///     formatter.byline(of: photo)                        // "NASA/Bill Ingalls · 20 July 2019"
///     formatter.count(50, of: .exact(34_684))            // "50 of 34,684"
///
/// The results contain text of the source: sanitise them before printing.
package struct PhotoFormatter: Hashable, Sendable {
    package let language: Language
    /// The maximum length of a date that is not ISO 8601, in characters.
    private static let maxRawDateLength = 40

    package init(language: Language = .english) { self.language = language }

    /// The maker and the date, separated by a middle dot, as far as they are known.
    package func byline(of photo: Photo) -> String {
        [maker(of: photo), date(of: photo)].compactMap(\.self).joined(separator: " · ")
    }

    /// The photographer, else the secondary creator, else the centre, else the camera, else `nil`.
    package func maker(of photo: Photo) -> String? {
        [photo.photographer, photo.secondaryCreator, center(of: photo), photo.camera].lazy.compactMap(Self.line).first
    }

    /// The publisher; a NASA centre by its name and its short name: `NASA Goddard (GSFC)`.
    package func center(of photo: Photo) -> String? {
        guard let center = Self.line(photo.center) else { return nil }
        guard photo.source == "nasa", let name = NASASource.centers[center.uppercased()] else { return center }
        return name == center ? "NASA \(name)" : "NASA \(name) (\(center))"
    }

    /// The publisher, unless the maker is or names it.
    package func center(besideMakerOf photo: Photo) -> String? {
        guard let short = photo.center, let maker = maker(of: photo) else { return nil }
        let words = maker.split { !$0.isLetter && !$0.isNumber }
        guard !words.contains(where: { $0 == short }) else { return nil }
        return center(of: photo).flatMap { $0 == maker ? nil : $0 }
    }

    private static func line(_ text: String?) -> String? {
        text.flatMap { PlainText.oneLine($0, limit: PlainText.lineLimit).nonEmpty }
    }

    /// Names such as the centre and the place, each once, and the licence, separated by a middle dot; `nil` without any.
    package func origin(of photo: Photo, _ names: [String?]) -> String? {
        var parts = [maker(of: photo) ?? ""]
        for name in (names + [photo.license]).compactMap(Self.line) where !parts.contains(name) { parts.append(name) }
        return parts.dropFirst().joined(separator: " · ").nonEmpty
    }

    /// The photo's date in the language; `nil` without one.
    package func date(of photo: Photo) -> String? { photo.date.flatMap(date) }

    /// The day, month or year of an ISO 8601 date; time and time zone are ignored.
    ///
    /// Any other text is returned on one line of at most 40 characters; `nil` if it is empty.
    package func date(_ text: String) -> String? {
        guard let text = Self.line(text) else { return nil }
        guard let day = CalendarDay(iso8601: text) else {
            return text.count > Self.maxRawDateLength ? text.prefix(Self.maxRawDateLength - 1) + "…" : text
        }
        return language.date(year: day.year, month: day.month, day: day.day)
    }

    /// The photo's date in ever shorter forms: as in `date(of:)`, `1981-11-24`, `1981`; none without one.
    package func dates(of photo: Photo) -> [String] {
        guard let full = date(of: photo) else { return [] }
        guard let day = photo.date.flatMap({ CalendarDay(iso8601: $0.trimmed) }) else { return [full] }
        let parts = [day.month, day.day].prefix { $0 != nil }.compactMap(\.self).map { $0 < 10 ? "0\($0)" : "\($0)" }
        let year = String(repeating: "0", count: max(4 - "\(day.year)".count, 0)) + "\(day.year)"
        return parts.isEmpty ? [full] : [full, ([year] + parts).joined(separator: "-"), year]
    }

    package func number(_ number: Int) -> String {
        let words = language.words
        let digits = "\(number.magnitude)"
        let sign = number < 0 ? "-" : ""
        guard digits.count >= words.minGroupedDigits else { return sign + digits }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += words.groupSeparator }
            grouped.append(digit)
        }
        return sign + grouped
    }

    /// "50 of 34,684"; "50 of about 34,700" for an estimate; "50" without a total.
    package func count(_ shown: Int, of total: PhotoPage.Total?) -> String {
        switch total {
        case .exact(let all): language.words.count(number(shown), number(all))
        case .estimate(let all): language.words.estimate(number(shown), number(all))
        case nil: number(shown)
        }
    }

    /// The text in place of a missing image: "video", "audio", "GIF", "no image".
    package func placeholder(for photo: Photo) -> String {
        switch photo.mediaType {
        case .image: photo.unsupportedFormat ?? language.words.noImage
        case .video: language.words.video
        case .audio: language.words.audio
        case .folder: language.words.folder
        }
    }

    /// The text in place of an image that failed.
    package var imageFailed: String { language.words.imageFailed }
    /// The text beside a stale image.
    package var outOfDate: String { language.words.outOfDate }
}

/// A valid day, month or year of the calendar (ISO 8601-1 section 5.2.2).
struct CalendarDay: Hashable {
    let year: Int
    var month: Int?
    var day: Int?

    /// Parses `1969-07-20T20:17:40Z`, `1969-07-20`, `1969-07` or `1969`; ignores the time.
    init?(iso8601 text: String) {
        let date = text.prefix { $0 != "T" && $0 != "t" && $0 != " " }
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 || date.endIndex == text.endIndex else { return nil }
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4, let year = parts[0].decimal, year > 0 else {
            return nil
        }
        self.year = year
        guard parts.count > 1 else { return }
        guard parts[1].utf8.count == 2, let month = parts[1].decimal, (1...12).contains(month) else { return nil }
        self.month = month
        guard parts.count > 2 else { return }
        guard parts[2].utf8.count == 2, let day = parts[2].decimal,
            (1...Self.dayCount(of: month, in: year)).contains(day)
        else { return nil }
        self.day = day
    }

    static func dayCount(of month: Int, in year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
