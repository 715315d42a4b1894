internal import Glibc

struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    private let hasPrefix: @Sendable (String) -> Bool

    /// The variables of this process, read on demand: most runs need few.
    static let ofProcess = Environment(
        lookUp: { name in getenv(name).map { String(cString: $0) } },
        hasPrefix: { prefix in
            var entry = environ
            while let variable = entry.pointee {
                if strncmp(variable, prefix, prefix.utf8.count) == 0 { return true }
                entry += 1
            }
            return false
        })

    subscript(name: String) -> String? { lookUp(name) }

    func hasName(withPrefix prefix: String) -> Bool { hasPrefix(prefix) }
}

extension Environment {
    init(_ variables: [String: String] = [:]) {
        self.init(lookUp: { variables[$0] }, hasPrefix: { prefix in variables.keys.contains { $0.hasPrefix(prefix) } })
    }
}
