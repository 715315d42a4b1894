import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("Options: precedence", .timeLimit(.minutes(10)))
struct PrecedenceTests {
    private func options(_ words: [String], _ environment: [String: String] = [:]) throws -> Options {
        try Line(["list"] + words, environment: environment).run().options
    }

    @Test("A variable sets a shared option")
    func variable() throws {
        #expect(try options([], ["SPYGLASS_LIMIT": "7", "SPYGLASS_STATS": "json"]).limit == 7)
        let options = try options(
            [], ["SPYGLASS_MAX_PIXELS": "900M", "SPYGLASS_NO_IMAGES": "1", "SPYGLASS_STATS": "json"])
        #expect(options.limits.pixels == 900_000_000 && !options.showsImages && options.stats == .json)
    }

    @Test("Every shared option has a variable of its own name")
    func names() {
        for option in OptionTable.all where option.isShared {
            #expect(option.variable == "SPYGLASS_" + option.name.uppercased().replacing("-", with: "_"))
        }
    }

    @Test("An option overrides its variable, and its list replaces the variable's")
    func overrides() throws {
        #expect(try options(["--limit", "5"], ["SPYGLASS_LIMIT": "7"]).limit == 5)
        #expect(try options(["--keywords", "moon"], ["SPYGLASS_KEYWORDS": "mars"]).filters["keywords"] == ["moon"])
    }

    @Test("--color auto counts as not given")
    func autoColor() throws {
        for words in [["--color", "auto"], ["--color", "256", "--color", "auto"]] {
            #expect(try options(words, ["SPYGLASS_COLOR": "16"]).color == .palette16)
        }
        let auto = try options(["--color", "auto"])
        #expect(auto.color == Optional<ColorDepth>.none && !auto.requestsImages)
        #expect(try options(["--color", "none"]).requestsImages)
    }

    @Test("Options request images, variables do not")
    func requestsImages() throws {
        #expect(try options(["--cells", "80x24"]).requestsImages)
        #expect(try options([], ["SPYGLASS_COLOR": "truecolor", "SPYGLASS_CELLS": "80x24"]).requestsImages == false)
    }

    @Test("A bad variable does not affect help, version and completions")
    func helpWithBadVariable() throws {
        let bad = ["SPYGLASS_LIMIT": "none"]
        #expect(try Line(["help"], environment: bad).parsed() == .help(nil))
        #expect(try Line(["--version"], environment: bad).parsed() == .version)
        #expect(try Line(["completions", "bash"], environment: bad).run().command == .completions)
    }

    @Test("Empty and unknown variables are ignored, also those of options that are not shared")
    func otherVariables() throws {
        #expect(try options([], ["SPYGLASS_LIMIT": "", "SPYGLASS_WEATHER": "fair"]) == Options())
        #expect(try options([], ["SPYGLASS_JSON": "1", "SPYGLASS_HELP": "1"]) == Options())
    }

    @Test("A variable can switch a flag off")
    func switches() throws { #expect(try options([], ["SPYGLASS_QUIET": "0"]).isQuiet == false) }

    @Test(
        "A bad variable is an error that names it, also where an option overrides it",
        arguments: [
            ([], ["SPYGLASS_LIMIT": "none"], "SPYGLASS_LIMIT none: expected a number from 1 to 1,000,000, or all"),
            (
                ["--limit", "5"], ["SPYGLASS_LIMIT": "none"],
                "SPYGLASS_LIMIT none: expected a number from 1 to 1,000,000, or all"
            ),
            ([], ["SPYGLASS_QUIET": "maybe"], "SPYGLASS_QUIET maybe: expected 1 or 0"),
            (
                [], ["SPYGLASS_ARCHIVE": "a", "SPYGLASS_RECORD": "b"],
                "SPYGLASS_ARCHIVE and SPYGLASS_RECORD cannot be combined: one replays recorded responses, "
                    + "the other records them"
            ),
        ] as [([String], [String: String], String)])
    func bad(words: [String], variables: [String: String], message: String) {
        #expect(Line(["list"] + words, environment: variables).failure() == .usage(message))
    }

    @Test("An option overrides the variable of what contradicts it")
    func contradictingVariable() throws {
        let options = try options(["--record", "new"], ["SPYGLASS_ARCHIVE": "old"])
        #expect(options.record == "new" && options.archive == nil)
    }
}
