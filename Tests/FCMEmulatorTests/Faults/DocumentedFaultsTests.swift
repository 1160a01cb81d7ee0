import FCM
import Testing

@testable import FCMEmulator

@Suite struct DocumentedFaultsTests {
    @Test func `the script in the documentation is one`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = root.appending(path: "docs/reference/faults.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let scripts = text.split(separator: "```json\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(scripts.count == 1)
        for script in scripts {
            #expect(try FaultScript(parsing: Array(script.utf8)) { _ in 1 }.entries.count == 5)
        }
    }
}
