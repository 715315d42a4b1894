internal import Glibc

/// The number of files that this process may have open (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// As many as a machine with many processors needs.
    private static let wanted = 4096

    /// Raises the limit as far as the system allows without a privilege, to 4,096 at most, and returns it.
    package static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < limit.rlim_max, limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
