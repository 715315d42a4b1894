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
        #expect(try options([], ["SPYGLASS_LIMIT": "7"]).limit == 7)
        #expect(try options([], ["SPYGLASS_MAX_PIXELS": "900M"]).limits.pixels == 900_000_000)
        #expect(try options([], ["SPYGLASS_NO_IMAGES": "1"]).showsImages == false)
        #expect(try options([], ["SPYGLASS_STATS": "json"]).stats == .json)
    }

    @Test("Every shared option has a variable of its own name")
    func names() {
        for option in OptionTable.all where option.isShared {
            #expect(option.variable == "SPYGLASS_" + option.name.uppercased().replacing("-", with: "_"))
        }
    }

    @Test("An option overrides its variable")
    func optionFirst() throws {
        #expect(try options(["--limit", "5"], ["SPYGLASS_LIMIT": "7"]).limit == 5)
    }

    @Test("An option's list replaces its variable's list")
    func listReplaces() throws {
        #expect(try options(["--keywords", "moon"], ["SPYGLASS_KEYWORDS": "mars"]).filters["keywords"] == ["moon"])
    }

    @Test("--color auto counts as not given")
    func autoColor() throws {
        #expect(try options(["--color", "auto"], ["SPYGLASS_COLOR": "16"]).color == .palette16)
        #expect(try options(["--color", "256", "--color", "auto"], ["SPYGLASS_COLOR": "16"]).color == .palette16)
        #expect(try options(["--color", "auto"]).color == Optional<ColorDepth>.none)
        #expect(try options(["--color", "auto"]).requestsImages == false)
        #expect(try options(["--color", "none"]).requestsImages == true)
    }

    @Test("Options request images, variables do not")
    func requestsImages() throws {
        #expect(try options(["--cells", "80x24"]).requestsImages)
        #expect(try options([], ["SPYGLASS_COLOR": "truecolor", "SPYGLASS_CELLS": "80x24"]).requestsImages == false)
    }

    @Test("A bad variable exits 2 and is named")
    func badVariable() {
        let line = Line(["list"], environment: ["SPYGLASS_LIMIT": "none"])
        #expect(
            line.failure() == .usage("SPYGLASS_LIMIT none: expected a number from 1 to 1,000,000, or all"))
    }

    @Test("A bad variable is named even where an option overrides it")
    func badOverridden() {
        #expect(Line(["list", "--limit", "5"], environment: ["SPYGLASS_LIMIT": "none"]).failure()?.code == .usage)
    }

    @Test("A bad variable does not affect help, version and completions")
    func helpWithBadVariable() throws {
        let bad = ["SPYGLASS_LIMIT": "none"]
        #expect(try Line(["help"], environment: bad).parsed() == .help(nil))
        #expect(try Line(["--version"], environment: bad).parsed() == .version)
        #expect(try Line(["completions", "bash"], environment: bad).run().command == .completions)
    }

    @Test("Empty and unknown variables are ignored")
    func otherVariables() throws {
        #expect(try options([], ["SPYGLASS_LIMIT": "", "SPYGLASS_WEATHER": "fair"]) == Options())
    }

    @Test("Only shared options have variables")
    func localOptions() throws {
        #expect(try options([], ["SPYGLASS_JSON": "1", "SPYGLASS_HELP": "1"]) == Options())
    }

    @Test("A variable can switch a flag off; other values are errors")
    func switches() throws {
        #expect(try options([], ["SPYGLASS_QUIET": "0"]).isQuiet == false)
        #expect(
            Line(["list"], environment: ["SPYGLASS_QUIET": "maybe"]).failure()
                == .usage("SPYGLASS_QUIET maybe: expected 1 or 0"))
    }

    @Test("An option overrides the variable of what contradicts it")
    func contradictingVariable() throws {
        let options = try options(["--record", "new"], ["SPYGLASS_ARCHIVE": "old"])
        #expect(options.record == "new")
        #expect(options.archive == nil)
    }

    @Test("Two contradicting variables are an error")
    func contradictingVariables() {
        let line = Line(["list"], environment: ["SPYGLASS_ARCHIVE": "a", "SPYGLASS_RECORD": "b"])
        #expect(
            line.failure()
                == .usage(
                    "SPYGLASS_ARCHIVE and SPYGLASS_RECORD cannot be combined: one replays recorded responses, "
                        + "the other records them"))
    }
}
