import FCM
import HeraldTestSupport
import Testing

/// People compare the numbers of a plan, so all of them are written in one form.
@Suite struct NumberFormTests {
    @Test(arguments: ["text", "markdown", "html"])
    func `a plan groups the digits of every number of recipients`(_ format: String) async throws {
        var files = Sandbox.small(count: 12_345, subscribers: 11_111)
        files["workspace/herald.yaml", default: ""] += "guards: {max_recipients: 10000}\n"
        let sandbox = try Sandbox(files)
        let plan = try await sandbox.herald("plan --format \(format)")
        // Digests and ids have digits of their own.
        let text = plan.output.replacing(#/[0-9a-f-]{12,}/#, with: "")
        for (plain, grouped) in [("12345", "12,345"), ("11111", "11,111"), ("10000", "10,000")] {
            #expect(text.contains(grouped), "\(grouped): \(plan.output)\(plan.errors)")
            #expect(!text.contains(plain), "\(plain): \(plan.output)")
        }
    }
}
