import Testing

@testable import SpyglassCatalog

@Suite("PlainText", .timeLimit(.minutes(10)))
struct PlainTextTests {
    @Test(
        "Tags are removed and references resolved",
        arguments: [
            ("<b>Mars</b> &amp; moons", "Mars & moons"),
            ("one<br/>two<BR>three", "one\ntwo\nthree"),
            ("<p>one</p><p>two</p>", "one\n\ntwo"),
            ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
            ("<a href=\"http://x.org/?a>b\" title='c>d'>link</a> end", "link end"),
            ("x <!-- hidden <b> --> y", "x y"),
            ("a<script>alert('<p>')</script>b<style>p{}</style>c", "abc"),
            ("if a < b and c > d", "if a < b and c > d"),
            ("3<4, 5>4, <3", "3<4, 5>4, <3"),
            ("&lt;b&gt; stays", "<b> stays"),
            ("&amp;amp; once", "&amp; once"),
            ("5&nbsp;cm&#8212;&#x2248;&#X41;", "5 cm—≈A"),
            (
                "it&#146;s &ldquo;quoted&rdquo; &eacute;t&eacute; 10&micro;m 4&times;4 90&deg;",
                "it’s “quoted” été 10µm 4×4 90°"
            ),
            ("AT&T; R&D & more &unknown; &#; &#x; &#zz;", "AT&T; R&D & more &unknown; &#; &#x; &#zz;"),
            ("&#0;&#27;[31m&#x7f;&#xD800;&#x110000;", "\u{FFFD}\u{FFFD}[31m\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#99999999999999;", "&#99999999999999;"),
            ("  \t x \r\n  y  \n\n\n\n z \n", "x\ny\n\nz"),
            ("\u{A0}a\u{A0}\u{A0}b\u{A0}", "a b"),
            ("<td>1</td><td>2</td>", "1 2"),
            ("<!DOCTYPE html><?xml version='1'?>text", "text"),
            ("unfinished <a href=", "unfinished <a href="),
            ("unfinished <!-- comment", "unfinished <!-- comment"),
            ("", ""), ("<", "<"), ("</", "</"), ("&", "&"), ("<p>", ""), ("&#", "&#"),
        ])
    func paragraphs(markup: String, expected: String) { #expect(PlainText.paragraphs(markup) == expected) }

    @Test("A title is one line")
    func line() { #expect(PlainText.line(" <i>The\nEarth</i> &amp;\t Moon<br>2 ") == "The Earth & Moon 2") }

    @Test("One line of plain text has no control characters")
    func oneLine() {
        #expect(PlainText.oneLine("a\u{1b}[31m\r\nb\u{9b}c\u{7f}", limit: 100) == "a [31m b c")
        #expect(PlainText.oneLine("<b>&amp;", limit: 100) == "<b>&amp;")
    }

    @Test(
        "White space of any script is trimmed around a text",
        arguments: [
            ("a b", "a b"), (" \t\r\na b\n", "a b"), ("\u{3000}é\u{A0}", "é"), ("a\u{2028}", "a"), ("", ""),
            (" \u{85}", ""),
            ("\u{301}a", "\u{301}a"), ("é", "é"),
        ])
    func trimmed(text: String, expected: String) { #expect(text.trimmed == expected) }

    @Test("A long text is truncated between characters, with an ellipsis")
    func cap() {
        #expect(PlainText.capped("abcd", limit: 4) == "abcd")
        #expect(PlainText.capped("abcde", limit: 4) == "abcd…")
        #expect(PlainText.capped("abcé", limit: 4) == "abc…")
        #expect(PlainText.capped("🚀🚀", limit: 7) == "🚀…")
        let long = PlainText.paragraphs(String(repeating: "x", count: PlainText.descriptionLimit + 1))
        #expect(long.utf8.count == PlainText.descriptionLimit + 3)
        let transcript = String(repeating: "y", count: 89_685)
        #expect(PlainText.paragraphs(transcript) == transcript)
    }

    @Test(
        "Hostile markup is scanned in linear time",
        arguments: ["<a", "<a\"", "<!--", "<script>", "&", "&#", "<a b='", "</"])
    func hostile(unit: String) {
        // Quadratic scanning would take billions of steps.
        let text = String(repeating: unit, count: PlainText.descriptionLimit / unit.utf8.count)
        #expect(PlainText.withoutMarkup(text).count <= text.utf8.count)
    }
}
