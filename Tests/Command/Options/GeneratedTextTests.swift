import SpyglassCodecs
import SpyglassTestSupport
import Testing

@testable import SpyglassFetching
@testable import spyglass

@Suite("Help, completions and man page", .timeLimit(.minutes(10)))
struct GeneratedTextTests {
    /// Whether a text contains a whole word.
    private static func holds(_ text: String, _ word: String) -> Bool {
        text.ranges(of: word).contains { range in
            word.last == " " || text[range.upperBound...].first.map { !$0.isLetter && $0 != "-" } ?? true
        }
    }

    @Test("The help of a command lists exactly its options")
    func helpHoldsOptions() {
        for command in Command.allCases {
            let page = HelpPage.page(for: command)
            for option in OptionTable.all {
                let isListed = Self.holds(page, HelpPage.synopsis(of: option))
                #expect(isListed == (!option.isHidden && option.commands.contains(command)), "\(option.name)")
            }
        }
    }

    @Test("Help is at most 80 columns wide, without spaces at the ends of lines")
    func helpWidth() {
        for page in [HelpPage.overview()] + Command.allCases.map(HelpPage.page) {
            for line in page.split(separator: "\n") {
                #expect(line.count <= 80 && line.last != " ", "\(line)")
            }
        }
    }

    @Test("Help begins with examples")
    func examplesFirst() throws {
        let page = HelpPage.page(for: .list)
        let examples = try #require(page.firstRange(of: "Examples"))
        let options = try #require(page.firstRange(of: "--limit N"))
        #expect(examples.lowerBound < options.lowerBound)
    }

    @Test("Help and man page list the extensions that resize reads")
    func pictureEndings() {
        for text in [HelpPage.page(for: .resize), ManualPage.text()] {
            for ending in ImageFormat.allCases.flatMap(\.fileExtensions) {
                let places = [",", " ", ".", "\n"].map { ".\(ending)\($0)" }
                #expect(places.contains { text.contains($0) }, "\(ending)")
            }
        }
    }

    @Test("The examples of help are command lines that this version accepts")
    func examplesParse() throws {
        let examples = HelpPage.examples + Command.allCases.flatMap(\.declaration.examples)
        // The tests have no pictures in a home folder.
        for example in examples where !example.line.contains("<(") && !example.line.contains("~/") {
            let line = example.line.split(separator: "|").last.map(String.init) ?? ""
            let words = line.split(separator: " ").prefix { $0 != ">" }.map(String.init)
            #expect(words.first == "spyglass")
            _ = try Line(Array(words.dropFirst())).parsed()
        }
    }

    @Test("Every completion script lists every visible option", arguments: Shell.allCases)
    func completions(shell: Shell) {
        let script = CompletionScript.text(for: shell)
        for option in OptionTable.all {
            let name = shell == .fish ? "-l \(option.name) " : option.dashed
            #expect(Self.holds(script, name) == !option.isHidden, "\(option.name)")
        }
        for command in Command.allCases { #expect(script.contains(command.rawValue)) }
    }

    @Test("The man page lists every option and variable, with escaped dashes")
    func manual() {
        let page = ManualPage.text()
        for option in OptionTable.all where !option.isHidden {
            #expect(page.contains(option.dashed.replacing("-", with: "\\-")), "\(option.name)")
            #expect(page.contains(option.variable) == option.isShared, "\(option.variable)")
        }
        for command in Command.allCases { #expect(page.contains("\\fBspyglass \(command.rawValue)\\fR")) }
    }

    @Test("Lines of text in the man page never start like requests")
    func manualRequests() {
        let requests = ["TH", "SH", "SS", "PP", "TP", "br", "nf", "fi"]
        for line in ManualPage.text().split(separator: "\n") where line.hasPrefix(".") {
            #expect(requests.contains { line.dropFirst().hasPrefix($0) }, "\(line)")
        }
    }

    @Test("The man page lists every exit code")
    func exitCodes() {
        for code in 0...4 { #expect(ManualPage.text().contains(".TP\n\\fB\(code)\\fR\n")) }
    }

    @Test("Help prints the defaults of the network code")
    func defaults() throws {
        let defaults = CurlSettings(time: ElapsedClock(ManualClock()))
        let connections = try #require(OptionTable.named("connections"))
        let summary = "(\(defaults.connections), \(defaults.connectionsPerHost) to one host)"
        #expect(connections.summary.hasSuffix(summary))
        let times = [1, Options.timeoutsOfBody].map { Duration.seconds(Options().timeout * $0) }
        #expect(times == [defaults.stallTimeout, defaults.deadline])
    }

    @Test("A default that help prints can be typed and changes nothing", arguments: OptionTable.all)
    func printedDefaults(option: OptionDeclaration) throws {
        // Text in the last brackets of a summary is the default if it is one number.
        guard case .required = option.form, let bracket = option.summary.lastIndex(of: "(") else { return }
        let printed = option.summary[bracket...].dropFirst().dropLast()
        guard printed.first?.isNumber == true, !printed.contains(" ") else { return }
        var options = Options()
        try option.change(printed.filter { $0 != "," })(&options)
        #expect(options == Options(), "--\(option.name) \(printed)")
    }

    @Test("Names and letters of options are unique")
    func unique() {
        let names = OptionTable.all.map(\.name) + OptionTable.all.compactMap(\.short).map { "\($0)" }
        #expect(Set(names).count == names.count)
    }
}
