extension OptionTable {
    /// The options that `bench` alone has.
    static var benching: [OptionDeclaration] {
        [
            bench("urls", "addresses to fetch, one a line", in: .input) { (settings, text) throws(ValueError) in
                settings.urls = try Values.text(text)
            },
            .local("quick", "0.15 s for each figure instead of 1.5 s", in: .run, for: [.bench]) {
                $0.bench.isQuick = $1
            },
            bench("save", "save the figures as JSON") { (settings, text) throws(ValueError) in
                settings.save = try Values.text(text)
            },
            bench("against", "compare with saved figures; exits 1 when one has become worse") {
                (settings, text) throws(ValueError) in
                settings.against = try Values.text(text)
            },
        ]
    }

    /// An option with the name of a file that `bench` alone has; no variable sets it.
    private static func bench(
        _ name: String, _ summary: String, in group: OptionDeclaration.Group = .report,
        _ store: @escaping @Sendable (inout BenchSettings, String) throws(ValueError) -> Void
    ) -> OptionDeclaration {
        .value(name, "FILE", summary, in: group, for: [.bench], isShared: false, completes: .files) {
            (settings, text) throws(ValueError) in try store(&settings.bench, text)
        }
    }
}
