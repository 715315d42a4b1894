import Testing

@testable import SpyglassFetching

@Suite("WebAddress", .timeLimit(.minutes(10)))
struct WebAddressTests {
    @Test(
        "Raw characters are encoded once",
        arguments: [
            ("http://a.b/As 11/As 11~thumb.jpg", "http://a.b/As%2011/As%2011~thumb.jpg"),
            ("http://a.b/As%2011", "http://a.b/As%2011"),
            ("http://a.b/caf\u{e9}", "http://a.b/caf%C3%A9"),
            ("http://a.b/100%", "http://a.b/100%25"),
            ("http://a.b/%zz%4", "http://a.b/%25zz%254"),
            ("http://a.b/it's,a+b@c", "http://a.b/it's,a+b@c"),
            ("http://a.b/x?q=a b&fl[]=c", "http://a.b/x?q=a%20b&fl%5B%5D=c"),
            ("http://a.b/\u{2013}\u{201d}", "http://a.b/%E2%80%93%E2%80%9D"),
            ("HTTP://A.B", "http://a.b/"),
            ("http://a.b?q", "http://a.b/?q"),
            ("http://a.b/x#part", "http://a.b/x"),
            ("http://a.b:80/", "http://a.b/"),
            ("https://a.b:443/", "https://a.b/"),
            ("https://a.b:80/", "https://a.b:80/"),
            ("http://a.b:/x", "http://a.b/x"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ])
    func encoding(raw: String, sent: String) throws {
        let address = try WebAddress(validating: raw)
        #expect(address.description == sent)
        #expect(WebAddress(address.text) == address, "reading it again changes nothing")
    }

    @Test(
        "An address has the parts that it was made of",
        arguments: [
            ("http://a.b", "http", "a.b", nil, "/", nil),
            ("https://a.b:8080/c/d?e=f?g", "https", "a.b", 8080, "/c/d", "e=f?g"),
            ("https://[::1]:1/?", "https", "[::1]", 1, "/", ""),
            ("http://images-assets.nasa.gov:443/image", "http", "images-assets.nasa.gov", 443, "/image", nil),
        ] as [(String, String, String, Int?, String, String?)])
    func parts(text: String, scheme: String, host: String, port: Int?, path: String, query: String?) throws {
        let address = try WebAddress(validating: text)
        #expect(
            address.scheme == scheme && address.host == host && address.port == port && address.path == path
                && address.query == query)
        #expect(address.authority == host + (port.map { ":\($0)" } ?? ""))
        let long = String(repeating: "x", count: 1 << 17)
        let longer = address.appending(query: [("q", long)])
        #expect(longer.query?.hasSuffix("q=\(long)") == true && longer.path == path)
    }

    @Test(
        "Other schemes and malformed addresses are invalid",
        arguments: [
            "", "a.b/x", "//a.b/x", "ftp://a.b/", "file:///etc/passwd", "http:a.b", "http:///x", "http://",
            "http://:80/",
            "http://user@a.b/", "http://user:word@a.b/", "http://a.b:0/", "http://a.b:65536/", "http://a.b:+80/",
            "http://a.b:8 0/", "http://a b/", "http://a..b/", "http://.a/", "http://a%2eb/", "http://a\\b/",
            "http://[::1/",
            "http://[::1]x/", "http://[1.2.3.4]/", "http://[fe80::1%25eth0]/", "http://a.b/\n", "http://a.b/\u{1b}[2J",
            "http://a.b/\0", "http://b\u{fc}cher.example/", "http://a.b\u{7f}/", "javascript://a.b/",
        ])
    func refusal(text: String) { #expect(WebAddress(text) == nil) }

    @Test("The error has one line, without secrets")
    func reasons() {
        let reason = #expect(throws: FetchError.self) {
            try WebAddress(validating: "ftp://a.b/\u{9b}31m?api_key=hush")
        }
        #expect(reason?.kind == .disallowed && reason?.description == "'ftp://a.b/??31m': not an http or https address")
    }

    @Test(
        "The error never contains a password",
        arguments: [
            ("https://user:hush@a.b/", "addresses"), ("ftp://user:hush@a.b/x", "'ftp://***'"),
            ("user:hush@a.b", "'***'"),
            ("http://user:hush/@a.b:0/", "'http://***'"), ("http://u:hu?sh@a.b/", "'http://***'"),
            ("ftp://a.b/#access_token=hush", "'ftp://a.b/'"),
        ])
    func passwords(text: String, shown: String) throws {
        let error = try #require(throws: FetchError.self) { try WebAddress(validating: text) }
        #expect(
            error.description.lowercased().contains(shown) && !error.description.contains("hush")
                && !error.description.contains("sh@"))
    }

    @Test("The length is limited, after encoding")
    func length() {
        let start = "http://a.b/"
        let longest = String(repeating: "x", count: WebAddress.lengthLimit - start.utf8.count)
        #expect(
            WebAddress(start + longest) != nil && WebAddress(start + longest + "x") == nil
                && WebAddress(start + String(repeating: " ", count: 4000)) == nil)
        #expect(
            WebAddress("http://" + String(repeating: "a.", count: 126) + "a/") != nil
                && WebAddress("http://" + String(repeating: "a.", count: 127) + "a/") == nil)
    }

    // The table of RFC 3986 section 5.4.
    @Test(
        "References resolve as RFC 3986 shows",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("https://x/y z", "https://x/y%20z"), ("HTTP://x", "http://x/"),
        ])
    func resolution(reference: String, target: String) throws {
        let base = try WebAddress(validating: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).description == target)
    }

    @Test(
        "A reference to another scheme is invalid",
        arguments: ["ftp://x/", "mailto:a", "http:g", "//u@h/", "\u{1}"])
    func badReference(reference: String) throws {
        let base = try WebAddress(validating: "http://a/b")
        #expect(throws: FetchError.self) { try base.resolving(reference) }
    }

    @Test("upgradedToHTTPS keeps everything else")
    func upgrade() {
        #expect(
            WebAddress("http://a.b/c?d")?.upgradedToHTTPS.description == "https://a.b/c?d"
                && WebAddress("https://a.b/")?.upgradedToHTTPS.description == "https://a.b/")
    }

    @Test("Query names and values are any plain text")
    func query() throws {
        let address = try WebAddress(validating: "http://a/search")
        let asked = address.appending(query: [
            ("q", "Apollo 11 & \"moon\"=100% caf\u{e9}"), ("media_type", "image,video"),
        ])
        #expect(
            asked.description
                == "http://a/search?q=Apollo%2011%20%26%20%22moon%22%3D100%25%20caf%C3%A9&media_type=image%2Cvideo")
        #expect(
            asked.queryItems.map(\.value) == ["Apollo 11 & \"moon\"=100% caf\u{e9}", "image,video"]
                && asked.appending(query: [("page", "2")]).query?.hasSuffix("video&page=2") == true)
        #expect(address.appending(query: []) == address)
        #expect(WebAddress("http://a/?x=1+2&&y")?.queryItems.map { "\($0.name):\($0.value)" } == ["x:1 2", "y:"])
    }

    @Test(
        "Secrets are neither printed nor stored",
        arguments: [
            "api_key", "apikey", "API-KEY", "key", "token", "access_token", "X-Amz-Signature", "sig", "api%5Fkey",
            "jwt", "csrftoken", "private_key", "authkey",
            String(repeating: "x", count: 200) + "_api_key",
        ])
    func secrets(name: String) throws {
        let address = try WebAddress(validating: "https://a/b?q=moon&\(name)=hush&page=2")
        #expect(
            address.description == "https://a/b?q=moon&\(name)=***&page=2"
                && address.withoutSecrets.description == "https://a/b?q=moon&page=2")
        #expect(address.text.contains("hush"), "it is still sent")
    }

    @Test(
        "A response to an address with the secret of a user is not stored",
        arguments: [
            "pass", "pwd", "password", "passwd", "db_passwd", "userpasswd", "passphrase", "pw", "code", "authCode",
            "auth_code", "ticket",
            "Policy", "PHPSESSID", "c%6Fde", "download_token", "user.token", "a%5Btoken%5D", "verification_code",
            "preview_token",
        ])
    func hidden(name: String) throws {
        let address = try WebAddress(validating: "https://a/b?q=moon&\(name)=hush&page=2")
        #expect(
            address.description == "https://a/b?q=moon&\(name)=***&page=2" && address.withoutSecrets == address
                && !address.isCacheable && address.storable == nil)
        let other = try WebAddress(validating: "https://a/b?q=moon&\(name)=other&page=2")
        #expect(
            address.distinctDescription != other.distinctDescription && address.archiveKey != other.archiveKey
                && address.distinctDescription.hasPrefix(address.description))
    }

    @Test("An item with the name of a secret inside is hidden as a whole")
    func parameters() throws {
        for (text, shown) in [
            ("https://a/b?q=1;passwd=hush&x=2", "https://a/b?q=***&x=2"),
            ("https://a/b?q=1;token=hush;c=hush", "https://a/b?q=***"),
            ("https://a/b?passwd=1;hush&x=2", "https://a/b?passwd=***&x=2"),
            ("https://a/b?u=https://c/?token=hush&x=2", "https://a/b?u=***&x=2"),
            ("https://a/b?u=https%3A%2F%2Fc%3Fd%26token%3dhush", "https://a/b?u=***"),
            ("https://a/b?hdnts=exp=1~acl=/*~hmac=hush", "https://a/b?hdnts=***"),
            ("https://a/b;passwd=hush/code/c?x=2", "https://a/b;***/code/c?x=2"),
        ] {
            let address = try WebAddress(validating: text)
            #expect(address.description == shown)
            #expect(WebAddress.description(ofRefused: text) == shown)
            #expect(!address.isCacheable)
        }
    }

    @Test("A password in a URL within a URL is hidden, and its response not stored")
    func inner() throws {
        for (text, shown) in [
            ("https://a/b?u=http://me:hush@c/&x=2", "https://a/b?u=***&x=2"),
            ("https://a/b?u=http%3A%2F%2Fhush%40c%2Fd", "https://a/b?u=***"),
            ("https://a/b/http://me:hush@c/d", "https://a/b/http://***/d"),
            ("https://a/http%3A%2F%2Fme%3Ahush%40c/d", "https://a/***/d"),
        ] {
            let address = try WebAddress(validating: text)
            #expect(address.description == shown && !address.isCacheable && address.storable == nil)
            #expect(!WebAddress.description(ofRefused: text).contains("hush"))
        }
        let address = try WebAddress(validating: "https://a/photos/12345@N00/?by=67@N01&at=c/@d")
        #expect(address.description == address.text && address.isCacheable)
    }

    @Test(
        "A name that resembles a hidden one is shown",
        arguments: [
            "postcode", "codec", "encoded", "shipping", "powder", "pageToken", "next_page_token", "continuation-token",
            "pagination_token", "$skiptoken", "scrollToken",
            "x=token&y", "u=1~token&y", "%3D%25=%253", "keywords", "nasa_id", "page_token", "author",
        ])
    func notHidden(name: String) throws {
        let address = try WebAddress(validating: "https://a/code/policy?\(name)=1")
        #expect([address.description, address.distinctDescription] == [address.text, address.text])
        #expect(address.isCacheable && address.withoutSecrets == address)
    }

    @Test(
        "Messages of libraries lose the secrets of their addresses",
        arguments: [
            ("cannot reach http://me:hush@a.b/x?passwd=hush now", "cannot reach ***@a.b/x?*** now"),
            ("Unsupported proxy syntax in 'me:hu sh@p:x'", "Unsupported proxy syntax in '***'"),
            ("Unsupported proxy syntax in 'http://me:hu'sh@p:x'", "Unsupported proxy syntax in '***'"),
            ("Unsupported proxy syntax in 'http://me:hush': Bad port", "Unsupported proxy syntax in '***': Bad port"),
            ("refused: /a?token=hush.", "refused: /a?***"), ("what? 5", "what? 5"),
            ("no me:hush@p here", "no ***@p here"), ("ask help@a.b", "ask help@a.b"),
            ("Could not resolve host: a.b", "Could not resolve host: a.b"),
            ("does not match 'a.b'", "does not match 'a.b'"), ("it's", "it's"), ("", ""),
        ])
    func redacting(message: String, redacted: String) { #expect(WebAddress.redacting(message) == redacted) }

    @Test("Equivalent addresses have one archive key")
    func archiveKey() {
        func key(_ text: String) -> String? { WebAddress(text)?.archiveKey }
        let wanted = key("https://a.b/c%20d/e~f?q=x%20y&page=1")
        #expect(wanted == "a.b/c%20d/e~f?page=1&q=x%20y")
        for same in [
            "http://a.b/c d/e%7Ef?page=1&q=x+y", "https://A.b/c%20d/e~f?q=x%20y&page=1",
            "http://a.b:80/c%20d/e~f?page=1&q=x y#z",
        ] {
            #expect(key(same) == wanted, "\(same)")
        }
        for other in [
            "https://a.b/c%2520d/e~f?q=x%20y&page=1", "https://a.b:8080/c%20d/e~f?q=x%20y&page=1",
            "https://a.b/c d/e~f?q=x y",
        ] {
            #expect(key(other) != wanted, "\(other)")
        }
        #expect(key("http://a/b%2Fc") != key("http://a/b/c") && key("http://a/?sig=1") != key("http://a/?sig=2"))
        let stored = WebAddress("http://a/?sig=%31&x=2")?.storable
        #expect(stored == stored?.storable && stored?.archiveKey == key("http://a/?x=2&sig=1"))
    }

    @Test("Hosts in private networks are recognised in every spelling, and public ones are not private")
    func privateHosts() throws {
        let privateHosts = [
            "localhost", "a.localhost", "LOCALHOST.", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001",
            "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
            "198.18.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "[::1]", "[::]", "[fe80::1]", "[fd00::1]",
            "[::ffff:10.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2001::1]",
            "[2001:db8::1]", "[ff02::1]", "[::127.0.0.1]", "[3fff::1]", "[64:ff9b:1::8.8.8.8]",
        ]
        let publicHosts = [
            "images-api.nasa.gov", "8.8.8.8", "172.32.0.1", "172.15.0.1", "100.128.0.1", "11.0.0.1", "223.255.255.255",
            "[2606:4700::1]", "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:808:808::]", "localhost.example",
        ]
        let found = try (privateHosts + publicHosts).filter {
            try WebAddress(validating: "http://\($0)/").isInPrivateNetwork
        }
        #expect(found == privateHosts)
    }
}
