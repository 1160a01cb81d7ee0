import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ShellWordTests {
    @Test(arguments: [
        ("/srv/runs/r.json", "/srv/runs/r.json"), ("/srv/my push/r.json", "\"/srv/my push/r.json\""),
        ("/srv/it's/r.json", "\"/srv/it's/r.json\""), ("~/r.json", "\"~/r.json\""), ("", "\"\""),
        ("/srv/$HOME/r.json", "'/srv/$HOME/r.json'"), ("/a!b", "'/a!b'"), ("/a\"b's", "'/a\"b'\\''s'"),
        ("/srv/Büro/r.json", "\"/srv/Büro/r.json\""), ("/a;b&c|d(e)*?", "\"/a;b&c|d(e)*?\""),
    ])
    func `a shell reads the word as it was`(_ text: String, _ word: String) async throws {
        #expect(text.shellWord == word)
        let result = try await ChildProcess("/bin/sh", ["-c", "printf %s \(word)"], environment: [:]).wait()
        #expect(result.output == text)
    }
}
