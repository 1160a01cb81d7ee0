import FCM
import Testing

struct EscapingTests {
    @Test(arguments: [
        ("", ""), ("18:42 at Ostia 🌊", "18:42 at Ostia 🌊"), ("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"),
        (#"" onload='x'"#, "&quot; onload=&#39;x&#39;"), ("e\u{301}<\u{338}", "e\u{301}&lt;\u{338}"),
    ])
    func `text means nothing to HTML or XML`(_ text: String, _ escaped: String) {
        #expect(text.escapedForMarkup == escaped)
    }
}
