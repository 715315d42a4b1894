internal import SpyglassFetching

/// A server's words about the use of an image, in `X-Robots-Tag`.
///
///     X-Robots-Tag: noai, noimageai
///     X-Robots-Tag: googlebot: noindex      (for that robot alone)
enum RobotsTag {
    /// `none` is `noindex, nofollow`.
    private static let refusals: Set<String> = ["noai", "noimageai", "noindex", "noimageindex", "none"]
    /// Rules with a value, which are no names of robots.
    private static let valued: Set<String> = [
        "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview",
    ]
    /// For whom a rule may be: all robots, or this program.
    private static let ownNames: Set<String> = ["*", "spyglass"]

    /// The first rule for us that refuses the use of the image.
    static func refusal(in headers: HeaderFields) -> String? {
        for value in headers.values(of: "X-Robots-Tag") {
            // The name of a robot counts up to the next one.
            var isForUs = true
            for part in value.lowercased().split(separator: ",") {
                var rule = part.trimmingBlanks
                if let colon = rule.firstIndex(of: ":") {
                    let name = rule[..<colon].trimmingBlanks
                    // A date has colons and spaces.
                    guard !valued.contains(String(name)), !name.isEmpty, !name.contains(" ") else { continue }
                    isForUs = ownNames.contains(String(name))
                    rule = rule[rule.index(after: colon)...].trimmingBlanks
                }
                if isForUs, refusals.contains(String(rule)) { return String(rule) }
            }
        }
        return nil
    }
}
