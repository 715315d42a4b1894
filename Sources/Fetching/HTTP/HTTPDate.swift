internal import SpyglassCaching

/// HTTP dates (RFC 9110 section 5.6.7) in all three forms.
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///
    /// The day's name is not checked. A two-digit year more than 50 years after `now` is in the previous century.
    static func parse(_ text: String, now: WallTime) -> WallTime? {
        let words = text.split(separator: " ")
        switch words.count {
        case 6 where words[5] == "GMT":
            guard let year = number(words[3], digits: 4) else { return nil }
            return moment(year: year, month: words[2], day: words[1], time: words[4])
        case 4 where words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let short = number(parts[2], digits: 2) else { return nil }
            let thisYear = year(at: now)
            let candidate = thisYear - thisYear % 100 + short
            let year = candidate > thisYear + 50 ? candidate - 100 : candidate
            return moment(year: year, month: parts[1], day: parts[0], time: words[2])
        case 5:
            guard let year = number(words[4], digits: 4) else { return nil }
            let day = words[2].utf8.count == 1 ? "0\(words[2])" : words[2]
            return moment(year: year, month: words[1], day: day, time: words[3])
        default: return nil
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func moment(year: Int, month: Substring, day: Substring, time: Substring) -> WallTime? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let month = months.firstIndex(where: { $0 == month }), let day = number(day, digits: 2), parts.count == 3,
            let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60  // 60 is a leap second
        else { return nil }
        let seconds = ((days(year: year, month: month + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
        return WallTime(seconds: Int64(seconds))
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits ? text.decimal : nil
    }

    /// Days since 1970-01-01 (Gregorian); years count from March, so that a leap day ends one.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        let daysBefore1970 = 719_468
        return marchYear * 365 + leapDays + dayOfYear - daysBefore1970
    }

    private static func year(at now: WallTime) -> Int {
        let secondsOfYear: Int64 = 31_556_952  // the Gregorian calendar's mean
        return 1970 + Int(min(max(now.seconds / secondsOfYear, 0), 8000))
    }
}
