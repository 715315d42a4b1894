import Foundation
import SpyglassTestSupport
import Testing

/// Files of other decoders' tests, those that `Tests/Corpora/statuses.txt` marks with a star.
@Suite(
    "Third-party files",
    .enabled(
        if: SpawnedProgram.path != nil && TestData.shared != nil,
        "needs the program beside the tests, and the recorded data beside the project"),
    .timeLimit(.minutes(10)))
struct CorporaTests {
    private struct Listed {
        let path: String
        let status: String

        /// A line is mark, path, status, what it is and colours, with tabs after the path.
        init?(_ line: Substring) {
            let fields = line.split(separator: "\t")
            guard line.hasPrefix("* "), fields.count > 1 else { return nil }
            path = String(fields[0].dropFirst(2))
            status = String(fields[1])
        }

        /// What the line of a report has.
        var reported: String {
            let parts = status.split(separator: ":")
            if parts.count == 2 { return #""kind":"\#(parts[1])""# }
            return status == "ok" ? #""status":"ok""# : #""message":"\#(status):"#
        }
    }

    /// The report of an item without its time, and the output.
    private struct Outcome: Equatable {
        let report: String
        let output: [UInt8]?
    }

    @Test("Forty files have the listed results in any order, with any number of jobs, and without the sandbox")
    func orders() throws {
        let list = try String(contentsOfFile: "\(TestData.root)/Tests/Corpora/statuses.txt", encoding: .utf8)
        let files = list.split(separator: "\n").compactMap { Listed($0) }
        #expect(files.count == 40)
        let numbers = Array(files.indices)
        let forwards = try outcomes(of: files, numbers, ["--jobs", "1"])
        for (file, outcome) in zip(files, forwards) {
            #expect(outcome?.report.contains(file.reported) == true, "\(file.path): \(outcome?.report ?? "no result")")
        }
        let shuffled = numbers.sorted { ($0 * 27 % 41, $0) < ($1 * 27 % 41, $1) }
        for (order, options) in [
            (numbers.reversed(), ["--jobs", "2"]), (shuffled, ["--jobs", "4"]),
            (numbers, ["--jobs", "2", "--sandbox", "off"]),
        ] {
            let others = try outcomes(of: files, order, options)
            for number in numbers { #expect(others[number] == forwards[number], "\(files[number].path), \(options)") }
        }
    }

    /// The outcomes of files that are resized in an order; `nil` for one without a report.
    private func outcomes(of files: [Listed], _ order: [Int], _ options: [String]) throws -> [Outcome?] {
        let folder = try TemporaryFolder()
        let manifest = order.map { #"{"id":"\#($0)","src":"\#(TestData.shared ?? "")/\#(files[$0].path)"}"# }
        try folder.write("list", manifest.joined(separator: "\n"))
        let words = [
            "resize", "--manifest", folder.path("list"), "--out", folder.path("out"), "--report", folder.path("report"),
            "--name", "{id}.{ext}", "--size", "64", "--format", "png", "--quiet",
        ]
        _ = try SpawnedProgram(words + options).run()
        let report = try folder.text("report").split(separator: "\n")
        return files.indices.map { number in
            guard let line = report.first(where: { $0.hasPrefix(#"{"id":"\#(number)","#) }) else { return nil }
            let end = line.range(of: #","ms":"#, options: .backwards)?.lowerBound ?? line.endIndex
            return Outcome(report: String(line[..<end]), output: try? folder.read("out/\(number).png"))
        }
    }
}
