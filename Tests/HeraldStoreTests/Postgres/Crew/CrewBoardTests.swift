import Foundation
import HeraldCore
import Testing

@testable import HeraldStore

/// What a process makes of its last reading.
struct CrewBoardTests {
    private static let job = JobID(rawValue: 7)

    private static func tally(accepted: Int) -> Tally {
        var tally = Tally()
        tally[.accepted] = accepted
        return tally
    }

    /// What a process sees of the job as the others' work.
    ///
    /// - Parameters:
    ///   - isWorking: whether the process still has its part.
    ///   - hasLeft: whether the reading says that it has left.
    private static func seen(isWorking: Bool, hasLeft: Bool) -> JobView? {
        let board = CrewBoard(LeaseTimes())
        let parts = [
            CrewReading.Part(id: 1, worker: board.id, hasLeft: hasLeft, claimed: 300, tally: tally(accepted: 200)),
            CrewReading.Part(id: 2, worker: UUID(), hasLeft: false, claimed: 100, tally: tally(accepted: 40)),
        ]
        let shared = CrewReading.Job(id: job, isEnding: false, hasFree: true, quiet: 0, parts: parts)
        board.take(CrewReading(begun: .now, ended: .now, epoch: 1, lease: 30, jobs: [shared]))
        if isWorking { board.withState { $0.parts[job] = .init(id: 1, epoch: 1) } }
        return board.view().jobs[job]
    }

    /// A run whose `leave` failed used to count its own messages twice in its report.
    @Test(arguments: [true, false])
    func `what a process does in its part is not another's, also when it has just left`(isWorking: Bool) throws {
        let view = try #require(Self.seen(isWorking: isWorking, hasLeft: false))
        #expect(view.others == Self.tally(accepted: 40))
        #expect(view.open == 60)
    }

    /// The process may join again, and then counts from zero.
    @Test func `what it did before it left is another's`() throws {
        let view = try #require(Self.seen(isWorking: false, hasLeft: true))
        #expect(view.others == Self.tally(accepted: 240))
        #expect(view.open == 60)
    }
}
