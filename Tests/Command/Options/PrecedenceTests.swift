import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("Options, variables and what goes before what", .timeLimit(.minutes(10)))
struct PrecedenceTests {
    private func settings(_ words: [String], _ environment: [String: String] = [:]) throws -> Settings {
        try Line(["list"] + words, environment: environment).run().settings
    }

    @Test("A variable stands for a shared option")
    func variable() throws {
        #expect(try settings([], ["SPYGLASS_LIMIT": "7"]).limit == .count(7))
        #expect(try settings([], ["SPYGLASS_MAX_PIXELS": "900M"]).maxPixels == 900_000_000)
        #expect(try settings([], ["SPYGLASS_NO_IMAGES": "1"]).showsImages == false)
        #expect(try settings([], ["SPYGLASS_STATS": "json"]).stats == .json)
    }

    @Test("Every shared option has a variable of its own name")
    func names() {
        for option in OptionTable.all where option.isShared {
            #expect(option.variable == "SPYGLASS_" + option.name.uppercased().replacing("-", with: "_"))
        }
    }

    @Test("An option goes before its variable")
    func optionFirst() throws {
        #expect(try settings(["--limit", "5"], ["SPYGLASS_LIMIT": "7"]).limit == .count(5))
    }

    @Test("An option's list replaces its variable's list")
    func listReplaces() throws {
        #expect(try settings(["--keywords", "moon"], ["SPYGLASS_KEYWORDS": "mars"]).query([])["keywords"] == ["moon"])
    }

    @Test("--color auto counts as not given")
    func autoColor() throws {
        #expect(try settings(["--color", "auto"], ["SPYGLASS_COLOR": "16"]).color == .palette16)
        #expect(try settings(["--color", "256", "--color", "auto"], ["SPYGLASS_COLOR": "16"]).color == .palette16)
        #expect(try settings(["--color", "auto"]).color == Optional<ColorDepth>.none)
        #expect(try settings(["--color", "auto"]).asksForPictures == false)
        #expect(try settings(["--color", "none"]).asksForPictures == true)
    }

    @Test("Pictures are asked for by options, not by variables")
    func asksForPictures() throws {
        #expect(try settings(["--cells", "80x24"]).asksForPictures)
        #expect(try settings([], ["SPYGLASS_COLOR": "truecolor", "SPYGLASS_CELLS": "80x24"]).asksForPictures == false)
    }

    @Test("A bad variable exits 2 and is named")
    func badVariable() {
        let line = Line(["list"], environment: ["SPYGLASS_LIMIT": "none"])
        #expect(
            line.failure() == .usage("SPYGLASS_LIMIT none: it must be a number from 1 to 1,000,000, or all"))
    }

    @Test("A bad variable is named even where an option overrides it")
    func badOverridden() {
        #expect(Line(["list", "--limit", "5"], environment: ["SPYGLASS_LIMIT": "none"]).failure()?.code == .usage)
    }

    @Test("A bad variable does not keep help, version and completions from answering")
    func helpWithBadVariable() throws {
        let bad = ["SPYGLASS_LIMIT": "none"]
        #expect(try Line(["help"], environment: bad).parsed() == .help(nil))
        #expect(try Line(["--version"], environment: bad).parsed() == .version)
        #expect(try Line(["completions", "bash"], environment: bad).run().command == .completions)
    }

    @Test("An empty variable is not set, and one of another name is not ours")
    func otherVariables() throws {
        #expect(try settings([], ["SPYGLASS_LIMIT": "", "SPYGLASS_WEATHER": "fair"]) == Settings())
    }

    @Test("Only shared options have variables")
    func localOptions() throws {
        #expect(try settings([], ["SPYGLASS_JSON": "1", "SPYGLASS_HELP": "1"]) == Settings())
    }

    @Test("A switch can be turned off by its variable, and a value that is neither is refused")
    func switches() throws {
        #expect(try settings([], ["SPYGLASS_QUIET": "0"]).isQuiet == false)
        #expect(
            Line(["list"], environment: ["SPYGLASS_QUIET": "maybe"]).failure()
                == .usage("SPYGLASS_QUIET maybe: it must be 1 or 0"))
    }

    @Test("An option overrides the variable of what contradicts it")
    func contradictingVariable() throws {
        let settings = try settings(["--record", "new"], ["SPYGLASS_ARCHIVE": "old"])
        #expect(settings.record == "new")
        #expect(settings.archive == nil)
    }

    @Test("Two variables that contradict each other are refused")
    func contradictingVariables() {
        let line = Line(["list"], environment: ["SPYGLASS_ARCHIVE": "a", "SPYGLASS_RECORD": "b"])
        #expect(
            line.failure()
                == .usage(
                    "SPYGLASS_ARCHIVE and SPYGLASS_RECORD contradict each other: one replays recorded answers, "
                        + "the other records them"))
    }

    @Test("The defaults are those of the design")
    func defaults() throws {
        let settings = try settings([])
        #expect(settings.source == .nasa)
        #expect(settings.limit == .count(50))
        #expect(settings.page == 1)
        #expect(try settings.query([])["media"] == [])
        #expect(settings.connections == nil)
        #expect(settings.maxPixels == 100_000_000)
        #expect(settings.maxSide == 65_535)
        #expect(settings.maxBytes == 64 * 1024 * 1024)
        #expect(settings.maxScans == 100)
        #expect(settings.maxRedirects == 5)
        #expect(settings.timeout == 20)
        #expect(settings.userAgent == "Spyglass/0.1.0")
        #expect(settings.color == nil && settings.background == nil && settings.cells == nil)
    }
}
