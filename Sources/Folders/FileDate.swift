enum FileDate {
    private static let day = 86_400
    /// Seconds since 1970 that are not dates of files; the years 1 to 9999 fit.
    private static let limits = -62_135_596_800...253_402_300_799

    /// ISO 8601 without a zone (`2024-05-03T12:34:56`), of a time since 1970 and the seconds east of Greenwich at that time.
    static func text(_ time: Duration, _ timeZone: (Int) -> Int) -> String {
        let seconds = min(max(Int(time.components.seconds), limits.lowerBound), limits.upperBound)
        let local = min(max(seconds + timeZone(seconds), limits.lowerBound), limits.upperBound)
        let days = Int((Double(local) / Double(day)).rounded(.down))
        let rest = local - days * day
        let (year, month, dayOfMonth) = date(days)
        let years = "000\(year)".suffix(4)
        return "\(years)-\(two(month))-\(two(dayOfMonth))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The day of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}
