/// Character references (HTML Standard, section 13.5) of Latin-1 and of scientific text.
enum CharacterReferences {
    static let named: [String: Unicode.Scalar] = {
        var table: [String: Unicode.Scalar] = [:]
        for (name, value) in zip(latin1.split(whereSeparator: \.isWhitespace), UInt32(0xA0)...0xFF) {
            table[String(name)] = Unicode.Scalar(value)
        }
        for pair in others.split(whereSeparator: \.isWhitespace) {
            guard let scalar = pair.unicodeScalars.last else { continue }
            table[String(String.UnicodeScalarView(pair.unicodeScalars.dropLast()))] = scalar
        }
        for (name, value) in spaces { table[name] = value }
        return table
    }()

    /// The characters of `&#128;` to `&#159;`: bytes of Windows-1252.
    static let windows1252: [Unicode.Scalar] = [
        "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž", "\u{FFFD}",
        "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{FFFD}", "ž", "Ÿ",
    ]

    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
        deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
        Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
        ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
        agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
        eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
        """

    /// Each name, followed by its character.
    private static let others = """
        amp& lt< gt> quot" apos' lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ lsaquo‹ rsaquo› ndash– mdash— hellip… bull•
        dagger† Dagger‡ permil‰ prime′ Prime″ trade™ euro€ minus− sim∼ asymp≈ ne≠ le≤ ge≥ infin∞ radic√ sum∑ larr← uarr↑
        rarr→ darr↓ harr↔ OElig\u{152} oelig\u{153} Scaron\u{160} scaron\u{161} Yuml\u{178} fnof\u{192} circˆ tilde˜
        Alpha\u{391} Beta\u{392} Gamma\u{393} Delta\u{394} Theta\u{398} Lambda\u{39B} Pi\u{3A0} Sigma\u{3A3} Phi\u{3A6}
        Psi\u{3A8} Omega\u{3A9} alpha\u{3B1} beta\u{3B2} gamma\u{3B3} delta\u{3B4} epsilon\u{3B5} zeta\u{3B6} eta\u{3B7}
        theta\u{3B8} kappa\u{3BA} lambda\u{3BB} mu\u{3BC} nu\u{3BD} xi\u{3BE} pi\u{3C0} rho\u{3C1} sigma\u{3C3} tau\u{3C4}
        phi\u{3C6} chi\u{3C7} psi\u{3C8} omega\u{3C9} deg°
        """

    /// White space, which the lists above cannot hold.
    private static let spaces: [(String, Unicode.Scalar)] = [
        ("ensp", " "), ("emsp", " "), ("thinsp", " "), ("numsp", " "), ("zwnj", "\u{200C}"), ("zwj", "\u{200D}"),
    ]
}
