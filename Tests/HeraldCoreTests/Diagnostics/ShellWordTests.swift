import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ShellWordTests {
    @Test(arguments: [
        ("tide@2026-12-01T08:00:00Z#2", "tide@2026-12-01T08:00:00Z#2"), ("/srv/runs/r~2.json", "/srv/runs/r~2.json"),
        ("/srv/my push/r.json", "\"/srv/my push/r.json\""), ("it's", "\"it's\""), ("", "\"\""),
        ("~/r.json", "\"~/r.json\""), ("#1", "\"#1\""), (#"a"b\c$d`e"#, #""a\"b\\c\$d\`e""#),
        ("oh! it's", #"'oh! it'\''s'"#), ("/srv/Büro;*(d)&|?", "\"/srv/Büro;*(d)&|?\""),
    ])
    func `a shell reads the word as it was`(_ text: String, _ word: String) async throws {
        #expect(text.shellWord == word)
        let result = try await ChildProcess("/bin/sh", ["-c", "printf %s \(word)"], environment: [:]).wait()
        #expect(result.output == text)
    }
}
