import SpyglassCaching
import SpyglassJSON
import SpyglassTerminalUI

/// `terminals.json`: what terminals replied, for programs that cannot ask.
typealias TerminalsFile = StateList<KnownTerminal>

extension TerminalsFile {
    /// Returns the stored replies of a terminal; `nil` if there are none.
    ///
    /// Incomplete answers: it did not reply in time.
    func answers(of key: String, now: WallTime) -> TerminalAnswers? {
        (try? read())?.first { $0.key == key && $0.isCurrent(now) }?.answers
    }

    func remember(_ answers: TerminalAnswers, of key: String, now: WallTime = .now()) throws(Failure) {
        let known = (try? read())?.first { $0.key == key }
        // Every run would write the same.
        guard !answers.isComplete || known?.answers.stored != answers.stored else { return }
        try put([KnownTerminal(key: key, answers: answers, time: now)]) { !$0.isCurrent(now) }
    }
}

struct KnownTerminal: StateEntry {
    static let list = "terminals"
    static let file = StateFile(name: "terminals.json", list: list)
    static let limit = 32
    /// Maximum bytes of a key.
    static let keyLimit = 1000
    /// How long a terminal that did not reply in time is not asked again: a slow one types its replies into the shell.
    private static let silence = Duration.seconds(5 * 60)

    let key: String
    let answers: TerminalAnswers
    let time: WallTime

    var identity: String { key }

    var members: [(name: String, value: JSONValue?)] {
        [
            ("terminal", .string(key)), ("replies", .string(answers.stored)), ("time", .number("\(time.seconds)")),
        ]
    }

    func isCurrent(_ now: WallTime) -> Bool {
        answers.isComplete || abs(time.duration(to: now) / .seconds(1)) < Self.silence / .seconds(1)
    }
}

extension KnownTerminal {
    init?(_ value: JSONValue) {
        guard let key = value.text("terminal", limit: Self.keyLimit),
            let answers = value["replies"]?.text.flatMap(TerminalAnswers.init(stored:)),
            let time = value["time"]?.integer
        else { return nil }
        self.init(key: key, answers: answers, time: WallTime(seconds: Int64(time)))
    }
}
