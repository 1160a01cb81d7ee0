import HeraldTestSupport
import Testing

extension Town {
    /// Somebody approves what the files say now.
    func approve() async throws {
        let path = "\(folder.path)/plan.json"
        let plan = try await herald("plan", "--out", path)
        #expect(plan.failure == nil, "\(plan.errors)")
        let approved = try await herald("approve", path, "--by", "Anna")
        #expect(approved.failure == nil, "\(approved.errors)")
    }
}
