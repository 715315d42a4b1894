/// What the options of `bench` ask for; every value has been checked, but for what needs a file.
struct BenchSettings: Hashable, Sendable {
    /// Whether a first look is enough.
    var isQuick = false
    /// A file of addresses, one a line, for `fetch`.
    var urls: String?
    /// A file that gets the figures as JSON.
    var save: String?
    /// A file of figures that these are compared with.
    var against: String?
}
