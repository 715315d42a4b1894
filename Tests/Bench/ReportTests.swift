import Testing

@testable import SpyglassBench

@Suite("BenchReport", .timeLimit(.minutes(10)))
struct ReportTests {
    private let machine = Machine.ofTests
    private let conditions = RunConditions(isQuick: true, isDebug: false, files: nil, scale: 1)

    private func report(_ figures: [Measurement]) -> BenchReport { BenchReport(machine, conditions, figures) }

    @Test("JSON has the machine and every result without unknown members")
    func json() {
        var full = Measurement("decode.jpeg.full", 123.4567891, .megapixelsPerSecond)
        full.instructions = 12.5
        full.spread = 0.0125
        full.samples = 9
        full.reference = "libjpeg"
        full.ratio = 1.25
        full.ratioSpread = 0.5
        full.cycles = 4
        let report = report([full, Measurement("resize.thumbnail.160", 1e7, .imagesPerSecond)])
        #expect(
            report.json() == """
                {"machine":{"os":"Debian","kernel":"6.1","architecture":"x86_64","cpu":"AMD","cores":2,\
                "memory_bytes":1024,"swift":"6.3","spyglass":"0.1.0","counters":"perf_event"},\
                "run":{"effort":"quick","build":"release","pictures":"samples 1 at scale 1"},\
                "results":[{"name":"decode.jpeg.full","value":123.457,"unit":"Mpx/s","spread":0.0125,"samples":9,\
                "rival":"libjpeg","ratio":1.25,"ratio_spread":0.5,"instructions":12.5,"cycles":4},\
                {"name":"resize.thumbnail.160","value":10000000,"unit":"images/s","spread":0,"samples":1}]}
                """)
    }

    @Test(
        "Numbers have six significant digits",
        arguments: [
            (0, "0"), (0.000123456789, "0.000123457"), (1.5, "1.5"), (99999.96, "100000"), (1234567.4, "1234567"),
            (-2.25, "-2.25"), (.infinity, "null"), (.nan, "null"),
        ])
    func numbers(value: Double, text: String) { #expect(BenchReport.number(value) == text) }

    @Test("The current machine is described")
    func currentMachine() {
        var machine = Machine.current()
        let isKnown = machine.hardware.architecture != "unknown" && !machine.kernel.isEmpty
        #expect(isKnown && machine.hardware.cores >= 1 && machine.memory > 0)
        machine.countersError = "Permission denied"
        #expect(BenchReport(machine, conditions, []).json().contains(#""counters":"none: Permission denied"}"#))
    }

    @Test("A processor is named by its model, else by its numbers, else unknown")
    func processors() {
        let files = [
            "processor : 0\nmodel name\t: AMD EPYC\n", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "isa\t: rv64\n",
        ]
        #expect(files.map(Machine.processor) == ["AMD EPYC", "ARM 0x41 0xd0c", nil])
        #expect(!Machine.Hardware(architecture: "riscv", processor: "unknown", cores: 1).isKnown)
    }

    @Test("The table is aligned and omits empty columns")
    func table() {
        var first = Measurement("decode.jpeg.full", 123.4, .megapixelsPerSecond)
        first.spread = 0.012
        first.samples = 7
        first.reference = "libjpeg"
        first.ratio = 1.25
        let second = Measurement("a.b", 12345.6, .imagesPerSecond)
        var machine = machine
        machine.countersError = "No such device"
        let text = ReportTable.text(BenchReport(machine, conditions, [first, second]))
        #expect(
            text == """
                benchmark          value  unit      spread  samples  reference  ratio
                decode.jpeg.full     123  Mpx/s      1.2 %        7  libjpeg     1.25
                a.b               12,346  images/s   0.0 %        1

                AMD, 2 processors, Debian, 6.1
                spyglass 0.1.0, release build, quick effort, samples 1 at scale 1
                ratio: reference cost / Spyglass cost; the C libraries and memcpy are lower bounds
                instructions are not counted (perf_event_open: No such device)

                """)
    }

    @Test(
        "Values are shown with three digits or more",
        arguments: [
            (0.01234, "0.0123"), (0, "0"), (1.2345, "1.23"), (12.345, "12.3"), (999.5, "1,000"),
            (1_234_567, "1,234,567"),
            (-3.5, "-3.50"),
        ])
    func people(value: Double, text: String) { #expect(NumberText.value(value) == text) }

    @Test("JSON and the table have the baseline value and the relative cost")
    func compared() throws {
        var (first, second) = (Measurement("a", 50, .imagesPerSecond), Measurement("b", 1, .imagesPerSecond))
        first.instructions = 300
        second.instructions = 1
        var old = Measurement("a", 100, .imagesPerSecond)
        old.instructions = 200
        let saved = try SavedReport(parsing: Array(report([old]).json().utf8))
        let report = report([first, second])
        let comparison = Comparison(report.results, against: try Baseline(saved, for: machine, conditions))
        let json = report.json(against: comparison)
        let against = #","against":{"value":100,"cost":2,"instruction_cost":1.5,"worse":true}},"#
        #expect(json.contains(against) && json.ranges(of: "against").count == 1)
        let lines = ReportTable.text(report, against: comparison).split(separator: "\n")
        let ends = ["  baseline  cost  instr. cost", "       100  2.00         1.50", "  1.00"]
        #expect(lines.count >= ends.count && zip(lines, ends).allSatisfy { $0.hasSuffix($1) }, "\(lines)")
    }

    @Test(
        "An invalid report is rejected with the reason",
        arguments: [
            ("", ": "), ("[]", ": no \"machine\" or no \"results\""), (results(""), ": a result has no valid"),
            (results(#","value":-1"#), ": a result has no valid"), (results(#","value":0"#), ": a result has no valid"),
            (results(#","value":1e999"#), ": a result has no valid name, value or unit"),
            (results(#","value":"1""#), ": a result has no valid name, value or unit"),
            (results(#","value":1},{"name":"a","unit":"b","value":2"#), ": two results named a"),
        ])
    func invalidReport(text: String, message: String) {
        #expect {
            try SavedReport(parsing: Array(text.utf8))
        } throws: {
            "\($0)".hasPrefix("not a saved report" + message)
        }
    }

    private static func results(_ members: String) -> String {
        #"{"machine":{},"results":[{"name":"a","unit":"images/s"\#(members)}]}"#
    }

    @Test("The unit decides the direction of costs", arguments: Unit.allCases)
    func units(unit: Unit) {
        #expect(unit.cost(of: 2, relativeTo: 4) == (unit.isHigherBetter ? 2 : 0.5))
        #expect(unit.isHigherBetter || !unit.isTimed || [.milliseconds, .microsecondsPerTransfer].contains(unit))
    }
}
