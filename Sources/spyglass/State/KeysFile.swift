import SpyglassBrowser

/// `keys.json`: the keys that the user has changed, beside the settings; only read.
struct KeysFile: Sendable {
    static let file = StateFile(name: "keys.json")
    let keys: KeyMap
    /// A line about the file, or about each of its lines that is wrong; the others hold.
    let problems: [String]

    /// One line at most, short enough for the footer.
    var summary: [String] {
        problems.count > 1 ? ["\(Self.file.name) has wrong lines; spyglass help keys names them"] : problems
    }

    /// The maximum number of wrong lines that are named.
    private static let maxProblems = 8

    init(in folder: UserFolder?) {
        var (keys, problems) = (KeyMap.standard, [String]())
        do throws(Failure) {
            if let folder, let object = try StateStore(folder: folder).read(Self.file) {
                let (changed, mistakes) = KeyMap.changed(by: object)
                let more = mistakes.count - Self.maxProblems
                keys = changed
                problems = mistakes.prefix(Self.maxProblems).map { "\(Self.file.name): \($0)" }
                if more > 0 { problems.append("\(Self.file.name): \(more) more lines are wrong") }
            }
        } catch { problems = [error.message] }
        (self.keys, self.problems) = (keys, problems)
    }
}
