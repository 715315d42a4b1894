/// The version of this package, for `--version` and `User-Agent`.
public enum SpyglassVersion {
    /// The semantic version.
    public static let current = "0.3.0"
    /// The default `User-Agent`: `Spyglass/0.3.0`.
    public static let userAgent = "Spyglass/\(current)"
    /// Where the operators of a service reach us unless the user gives a contact.
    ///
    /// The name is reserved (RFC 2606 section 3): a release needs the project's own.
    private static let contact = "https://spyglass.example/contact"
    /// For services that demand a contact; `--user-agent` has precedence.
    package static let userAgentWithContact = "\(userAgent) (\(contact))"
}
