internal import SpyglassCodecs
internal import SpyglassJSON
internal import SpyglassPixels

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
        return JSONText.object(members)
    }
}

extension ItemReport.Output {
    fileprivate var json: String {
        JSONText.object([
            ("path", JSONText.string(path)),
            ("width", JSONText.number(size?.width)),
            ("height", JSONText.number(size?.height)),
            ("bytes", JSONText.number(bytes)),
        ])
    }
}

extension ItemReport.Source {
    fileprivate var json: String {
        JSONText.object([
            ("width", JSONText.number(size.width)),
            ("height", JSONText.number(size.height)),
            ("format", JSONText.string(format.rawValue)),
            ("bytes", JSONText.number(bytes)),
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
        var own = [
            (name: "ok", value: JSONText.number(ok)),
            (name: "skipped", value: JSONText.number(skipped)),
            (name: "failed", value: JSONText.number(failed)),
        ]
        // Only in dry runs, in stopped runs and after walks.
        if planned > 0 { own.append((name: "planned", value: JSONText.number(planned))) }
        if cancelled > 0 { own.append((name: "cancelled", value: JSONText.number(cancelled))) }
        if let left { own.append((name: "left", value: JSONText.number(left))) }
        if !leftOut.isEmpty {
            let counts = leftOut.sorted { $0.key < $1.key }
            own.append((name: "left_out", value: JSONText.object(counts.map { ($0.key, JSONText.number($0.value)) })))
        }
        own += [
            (name: "total", value: JSONText.number(total)),
            (name: "files", value: JSONText.number(files)),
            (name: "bytes", value: JSONText.number(bytesWritten)),
            (name: "interrupted", value: isInterrupted ? "true" : "false"),
            (name: "ms", value: JSONText.number(duration.wholeMilliseconds)),
        ]
        return JSONText.object([("summary", JSONText.object(own + members))])
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
