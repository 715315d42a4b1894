import SpyglassCaching
import SpyglassJSON
import SpyglassTerminalUI

/// `terminals.json`: what terminals replied, the newest first, for programs that cannot ask.
struct TerminalsFile: Sendable {
    static let name = "terminals.json"
    static let limit = 32
    /// Maximum bytes of a key.
    static let keyLimit = 1000
    /// How long a terminal that did not reply in time is not asked again: a slow one types its replies into the shell.
    private static let silence = Duration.seconds(5 * 60)

    let folder: UserFolder

    private struct Entry {
        let key: String
        let answers: TerminalAnswers
        let time: WallTime

        func isCurrent(_ now: WallTime) -> Bool {
            answers.isComplete || abs(time.duration(to: now) / .seconds(1)) < TerminalsFile.silence / .seconds(1)
        }

        init(key: String, answers: TerminalAnswers, time: WallTime) {
            self.key = key
            self.answers = answers
            self.time = time
        }

        init?(_ value: JSONValue) {
            guard let key = value["terminal"]?.text, key.utf8.count <= TerminalsFile.keyLimit,
                let answers = value["replies"]?.text.flatMap(TerminalAnswers.init(stored:)),
                let time = value["time"]?.integer
            else { return nil }
            self.init(key: key, answers: answers, time: WallTime(seconds: Int64(time)))
        }

        var text: String {
            JSONText.object([
                (name: "terminal", value: JSONText.string(key)),
                (name: "replies", value: JSONText.string(answers.stored)),
                (name: "time", value: "\(time.seconds)"),
            ])
        }
    }

    /// What a terminal replied; `nil` if nothing is known of it.
    ///
    /// Incomplete answers: it did not reply in time.
    func answers(of key: String, now: WallTime) -> TerminalAnswers? {
        read().first { $0.key == key && $0.isCurrent(now) }?.answers
    }

    /// Inserts a terminal first, also among those of concurrent runs.
    func remember(_ answers: TerminalAnswers, of key: String, now: WallTime = .now()) throws(Failure) {
        guard key.utf8.count <= Self.keyLimit else { return }
        let known = read()
        // Every run would write the same.
        guard !answers.isComplete || known.first(where: { $0.key == key })?.answers.stored != answers.stored else {
            return
        }
        let entries =
            [Entry(key: key, answers: answers, time: now)] + known.filter { $0.key != key && $0.isCurrent(now) }
        let list = JSONText.array(entries.prefix(Self.limit).map(\.text))
        try folder.write(Self.name, JSONText.object([(name: "terminals", value: list)]) + "\n")
    }

    /// Nothing from a damaged file: its contents can be asked for again.
    private func read() -> [Entry] {
        guard let bytes = try? folder.read(Self.name),
            let object = try? JSONFile.object(bytes, folder.path(of: Self.name))
        else { return [] }
        return Array((object["terminals"]?.elements ?? []).compactMap { Entry($0) }.prefix(Self.limit))
    }
}
