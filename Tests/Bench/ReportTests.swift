import SpyglassJSON
import Testing

@testable import SpyglassBench

@Suite("Reports of figures", .timeLimit(.minutes(10)))
struct ReportTests {
    private let machine = Machine(
        system: "Debian", kernel: "6.1", processor: "AMD", cores: 2, memory: 1024, swift: "6.3", spyglass: "0.1.0",
        refusal: nil)

    private func figure(
        _ name: String, _ value: Double, _ unit: Unit = .imagesPerSecond, instructions: Double? = nil
    ) -> Measurement {
        var figure = Measurement(name, value, unit)
        figure.instructions = instructions
        return figure
    }

    private func saved(_ figures: Measurement...) throws -> SavedRun {
        try SavedRun(parsing: Array(BenchReport(machine, figures).json().utf8))
    }

    // MARK: JSON

    @Test("JSON holds the machine and every figure, and leaves out what is not known")
    func json() {
        var full = figure("decode.jpeg.full", 123.4567891, .megapixelsPerSecond, instructions: 12.5)
        full.spread = 0.0125
        full.samples = 9
        full.rival = "libjpeg"
        full.ratio = 1.25
        full.ratioSpread = 0.5
        full.cycles = 4
        let report = BenchReport(machine, [full, figure("resize.thumbnail.160", 1e7)])
        #expect(
            report.json() == """
                {"machine":{"os":"Debian","kernel":"6.1","cpu":"AMD","cores":2,"memory_bytes":1024,"swift":"6.3",\
                "spyglass":"0.1.0","counters":"perf_event"},"results":[{"name":"decode.jpeg.full","value":123.457,\
                "unit":"Mpx/s","spread":0.0125,"samples":9,"rival":"libjpeg","ratio":1.25,"ratio_spread":0.5,\
                "instructions":12.5,"cycles":4},\
                {"name":"resize.thumbnail.160","value":10000000,"unit":"images/s","spread":0,"samples":1}]}
                """)
    }

    @Test(
        "Numbers have six digits that count",
        arguments: [
            (0, "0"), (0.000123456789, "0.000123457"), (1.5, "1.5"), (99999.96, "100000"), (1234567.4, "1234567"),
            (-2.25, "-2.25"), (.infinity, "null"), (.nan, "null"),
        ])
    func numbers(value: Double, text: String) { #expect(BenchReport.number(value) == text) }

    @Test("The machine is the one that it runs on")
    func currentMachine() {
        let machine = Machine.current(refusal: Counters.Refusal(reason: "Permission denied"))
        #expect(machine.refusal == "Permission denied")
        #expect(BenchReport(machine, []).json().contains(#""counters":"none: Permission denied"}"#))
        #expect(machine.cores >= 1 && machine.memory > 0 && !machine.kernel.isEmpty)
    }

    @Test("A value of the system's files is what follows the sign, without its quotes")
    func systemValues() {
        let text = "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\nmodel name\t: AMD EPYC\n"
        #expect(Machine.value(of: "PRETTY_NAME", in: text, after: "=") == "Debian GNU/Linux 12")
        #expect(Machine.value(of: "model name", in: text, after: ":") == "AMD EPYC")
        #expect(Machine.value(of: "flags", in: text, after: ":") == nil)
    }

    // MARK: Table

    @Test("The table is aligned, and columns that nothing stands in are left out")
    func table() {
        var first = figure("decode.jpeg.full", 123.4, .megapixelsPerSecond)
        first.spread = 0.012
        first.samples = 7
        first.rival = "libjpeg"
        first.ratio = 1.25
        let second = figure("a.b", 12345.6)
        var machine = machine
        machine.refusal = "No such device"
        let text = ReportTable.text(BenchReport(machine, [first, second]))
        #expect(
            text == """
                figure             value  unit      spread  samples  beside   ratio
                decode.jpeg.full     123  Mpx/s      1.2 %        7  libjpeg   1.25
                a.b               12,346  images/s   0.0 %        1

                AMD, 2 processors, Debian, 6.1
                ratio: our cost as a share of the one beside it
                instructions are not counted here: No such device

                """)
    }

    @Test(
        "People read three digits or more",
        arguments: [
            (0.01234, "0.0123"), (0, "0"), (1.2345, "1.23"), (12.345, "12.3"), (999.5, "1,000"),
            (1_234_567, "1,234,567"),
            (-3.5, "-3.50"),
        ])
    func people(value: Double, text: String) { #expect(FigureText.value(value) == text) }

    // MARK: Comparison

    @Test("A figure is worse when it takes a tenth more instructions, whatever its time")
    func instructions() throws {
        let old = try saved(figure("a", 100, instructions: 1000), figure("b", 100, instructions: 1000))
        let comparison = Comparison(
            [figure("a", 10, instructions: 1100), figure("b", 100, instructions: 1101)], against: old)
        #expect(comparison.lines.map(\.ratio) == [1.1, 1.101])
        #expect(comparison.worse.map(\.name) == ["b"])
        #expect(comparison.worse.first?.sentence == "b: 1.10 times the instructions of the saved run")
    }

    @Test("Where one of the two did not count instructions, a quarter more time is too much")
    func times() throws {
        let old = try saved(figure("a", 100), figure("b", 100, instructions: 1000), figure("c", 100))
        let comparison = Comparison([figure("a", 80), figure("b", 79), figure("c", 300)], against: old)
        #expect(comparison.worse.map(\.name) == ["b"])
        #expect(comparison.lines.map(\.isOfInstructions) == [false, false, false])
    }

    @Test("What is counted may grow by a tenth, and more bytes are worse where more hits are better")
    func counted() throws {
        let old = try saved(
            figure("a", 10, .bytesPerCell), figure("b", 10, .bytesPerCell), figure("c", 50, .hitPercent))
        let now = [figure("a", 11.1, .bytesPerCell), figure("b", 5, .bytesPerCell), figure("c", 45, .hitPercent)]
        #expect(Comparison(now, against: old).worse.map(\.name) == ["a", "c"])
    }

    @Test("What only one run has, or has in another unit, is not compared")
    func strangers() throws {
        let old = try saved(figure("a", 1), figure("b", 1))
        let comparison = Comparison([figure("c", 1), figure("b", 1, .megabytesPerSecond)], against: old)
        #expect(comparison.lines.isEmpty)
    }

    @Test("What a figure costs beside the saved run stands in JSON and in the table")
    func compared() throws {
        let report = BenchReport(machine, [figure("a", 50), figure("b", 1)])
        let comparison = Comparison(report.results, against: try saved(figure("a", 100)))
        let json = try JSONValue(parsing: Array(report.json(against: comparison).utf8))
        #expect(json["results"]?[0]?["against"]?.text == "2")
        #expect(json["results"]?[1]?["against"] == nil)
        let lines = ReportTable.text(report, against: comparison).split(separator: "\n")
        #expect(lines[0].hasSuffix("saved run"))
        #expect(lines[1].hasSuffix(" 2.00"))
    }

    @Test(
        "What is no saved run is refused with what it lacks",
        arguments: [
            ("", "it is no saved run: "), ("[]", "it is no saved run: it has no \"machine\" or no \"results\""),
            (#"{"machine":{},"results":[{"name":"a"}]}"#, "it is no saved run: a result lacks its name, value or unit"),
        ])
    func noSavedRun(text: String, message: String) {
        let error = #expect(throws: BenchError.self) { try SavedRun(parsing: Array(text.utf8)) }
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test("Costs follow from the unit", arguments: Unit.allCases)
    func units(unit: Unit) {
        #expect(unit.cost(of: 2, beside: 4) == (unit.isHigherBetter ? 2 : 0.5))
        #expect(unit.isHigherBetter || !unit.isTimed)
    }
}
