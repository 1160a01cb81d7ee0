import Testing

/// Does all of it, a few at a time: each mostly waits, for the disk or for programs to start or end.
///
/// - Parameter problems: What broke a promise; empty if nothing did.
func fewAtATime<Case: Sendable & CustomStringConvertible>(
    _ cases: [Case], problems: @escaping @Sendable (Case) async throws -> [String]
) async {
    let width = 3
    await withTaskGroup(of: Void.self) { group in
        for (number, each) in cases.enumerated() {
            if number >= width { await group.next() }
            group.addTask {
                do {
                    let problems = try await problems(each)
                    #expect(problems.isEmpty, "\(each)")
                } catch {
                    Issue.record("\(each): \(error)")
                }
            }
        }
    }
}
