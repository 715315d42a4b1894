package import SpyglassCodecs
package import SpyglassJSON
package import SpyglassPixels

package struct ItemReport: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        case ok
        case skipped
        case failed
        /// A dry run would write it.
        case planned
        /// The run was stopped before it ended.
        case cancelled
    }

    package struct Output: Hashable, Sendable {
        /// Relative to the output folder.
        package var path: String
        /// `nil` in a dry run.
        package var size: PixelSize?
        /// `nil` in a dry run.
        package var bytes: Int?
    }

    package struct Source: Hashable, Sendable {
        /// As displayed.
        package var size: PixelSize
        package var format: ImageFormat
        package var bytes: Int
    }

    /// The licence and credit that the source states for a user of the image.
    package struct Rights: Hashable, Sendable {
        package var credit: String?
        package var license: String?
        package var licenseURL: String?

        package init() {}
    }

    package var number: Int
    package var id: String
    package var shownSource: String
    package var status: Status
    package var outputs: [Output] = []
    package var source: Source?
    package var warnings: [String] = []
    package var failure: BatchError?
    package var rights = Rights()
    /// SHA-256 of the source, if it was read.
    package var hash: String?
    /// Whether the image was damaged, and the result shows the rest of it.
    package var isTruncated = false
    /// The tar file, and its first image of the item.
    package var tar: String?
    package var member: String?
    /// The other members of the manifest's line.
    package var columns: [JSONValue.Member] = []
    package var duration = Duration.zero
}

package struct BatchSummary: Hashable, Sendable {
    package var ok = 0
    package var skipped = 0
    package var failed = 0
    /// The failed items by kind.
    package var failures: [BatchError.Kind: Int] = [:]
    package var planned = 0
    /// Items that had begun when the run was stopped.
    package var cancelled = 0
    /// All items that an interrupted run did not end, also those that had not begun; `nil` if their number is unknown.
    package var left: Int?
    /// The files that walks left out, by kind: `["RAW": 2]`.
    package var leftOut: [String: Int] = [:]
    package var files = 0
    package var bytesWritten = 0
    /// Whether a signal or an unwritable output folder ended the run early.
    package var isInterrupted = false
    package var duration = Duration.zero
    package var total: Int { ok + skipped + failed + planned + cancelled }
}

extension ItemReport {
    package var json: String {
        var members = [
            ("id", JSONText.string(id)),
            ("src", JSONText.string(shownSource)),
            ("status", JSONText.string(status.rawValue)),
            ("out", JSONText.array(outputs.map(\.json))),
            ("source", source?.json ?? "null"),
            ("warnings", JSONText.array(warnings.map { JSONText.string($0) })),
            ("error", failure?.json ?? "null"),
            ("ms", JSONText.number(duration.wholeMilliseconds)),
        ]
        if rights != ItemReport.Rights() {
            members += [
                ("credit", JSONText.string(rights.credit)), ("license", JSONText.string(rights.license)),
                ("license_url", JSONText.string(rights.licenseURL)),
            ]
        }
        if let hash { members.append(("hash", JSONText.string(hash))) }
        if isTruncated { members.append(("truncated", "true")) }
        if let tar { members += [("tar", JSONText.string(tar)), ("member", JSONText.string(member))] }
        if !columns.isEmpty { members.append(("columns", Self.json(columns))) }
        return JSONText.object(members)
    }

    static func json(_ columns: [JSONValue.Member]) -> String {
        JSONText.object(columns.map { ($0.name, JSONText.text(of: $0.value)) })
    }
}

extension ItemReport.Output {
    fileprivate var json: String {
        JSONText.object([
            ("path", JSONText.string(path)), ("width", JSONText.number(size?.width)),
            ("height", JSONText.number(size?.height)), ("bytes", JSONText.number(bytes)),
        ])
    }
}

extension ItemReport.Source {
    fileprivate var json: String {
        JSONText.object([
            ("width", JSONText.number(size.width)), ("height", JSONText.number(size.height)),
            ("format", JSONText.string(format.rawValue)), ("bytes", JSONText.number(bytes)),
        ])
    }
}

extension BatchError {
    fileprivate var json: String {
        JSONText.object([("kind", JSONText.string(kind.rawValue)), ("message", JSONText.string(message))])
    }
}

extension BatchSummary {
    /// The last line of the report, without a line break; the values of `members` are JSON.
    package func json(adding members: [(name: String, value: String)] = []) -> String {
        let counts = leftOut.sorted { $0.key < $1.key }.map { ($0.key, JSONText.number($0.value)) }
        let kinds = failures.map { ($0.key.rawValue, JSONText.number($0.value)) }.sorted { $0.0 < $1.0 }
        let own: [(name: String, value: String)?] = [
            ("ok", JSONText.number(ok)), ("skipped", JSONText.number(skipped)), ("failed", JSONText.number(failed)),
            kinds.isEmpty ? nil : ("failures", JSONText.object(kinds)),
            // Only in dry runs, in stopped runs and after walks.
            planned > 0 ? ("planned", JSONText.number(planned)) : nil,
            cancelled > 0 ? ("cancelled", JSONText.number(cancelled)) : nil,
            left.map { ("left", JSONText.number($0)) },
            counts.isEmpty ? nil : ("left_out", JSONText.object(counts)),
            ("total", JSONText.number(total)), ("files", JSONText.number(files)),
            ("bytes", JSONText.number(bytesWritten)), ("interrupted", isInterrupted ? "true" : "false"),
            ("ms", JSONText.number(duration.wholeMilliseconds)),
        ]
        return JSONText.object([("summary", JSONText.object(own.compactMap(\.self) + members))])
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}

package enum FailureLimit: Hashable, Sendable {
    case items(Int)
    case percent(Double)

    package static let none = FailureLimit.items(0)

    /// Parses a number of items (`5`) or a share (`2%`, `0.5%`).
    package init?(parsing text: String) {
        let isShare = text.hasSuffix("%")
        let number = isShare ? text.dropLast() : text[...]
        let digits = number.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // 15 digits are exact as a `Double`.
        guard (1...(isShare ? 2 : 1)).contains(digits.count), number.utf8.count <= 15,
            digits.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        if isShare {
            guard let percent = Double(String(number)), percent <= 100 else { return nil }
            self = .percent(percent)
        } else {
            guard let items = Int(String(number)) else { return nil }
            self = .items(items)
        }
    }

    package func allows(_ summary: BatchSummary) -> Bool {
        switch self {
        case .items(let limit): summary.failed <= limit
        case .percent(let percent): Double(summary.failed) * 100 <= percent * Double(summary.total)
        }
    }
}
