import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Outcomes that a run knows and cannot write are in its report, and a person can add them to the state.
@Suite struct UnrecordedTests {
    @Test func `what could not be written is in the report, and the state is whole once it is added`() async throws {
        for refused in 2...6 {
            var state = RecordedState.blank
            state.nextRecipient = 41
            var laboratory = Laboratory(population: 40, state: state)
            let memory = laboratory.memory
            laboratory.store = ProbedStore(memory, refusesFrom: refused)
            let plan = laboratory.plan(.send(.sample(1...40)))
            let sent = Log<RecipientID>()
            let report = try await laboratory.run(
                plan,
                ScriptedSender { request, number in
                    sent.append(request.recipient)
                    return request.recipient == 3 && number == 0
                        ? .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT") : .accepted(request, number)
                })
            let saved = try ReportDocument(reading: Array(ReportDocument(report).json.compactText.utf8)).report
            let step = try #require(saved.steps.first)
            #expect(step.unrecorded == report.steps.first?.unrecorded)
            let id = try #require(step.occurrence.map(OccurrenceID.init(rawValue:)))
            let before = memory.state()
            let changes = before.changes(recording: step.unrecorded ?? UnrecordedOutcomes(), of: id)
            try memory.commit(changes)
            let ledger = try #require(memory.state().occurrences[id]?.ledger)
            #expect(ledger[.accepted].count + ledger[.rejected].count == sent.entries.count, "commit \(refused)")
            // The same report a second time changes nothing.
            #expect(memory.state().changes(recording: step.unrecorded ?? UnrecordedOutcomes(), of: id).isEmpty)
        }
    }

    @Test func `nothing that the state knows for certain changes`() {
        var state = RecordedState.blank
        state.nextRecipient = 10
        let id: OccurrenceID = OccurrenceID(rawValue: "tide@once")
        state.apply([
            .open(
                id,
                RecordedOccurrence(campaign: "tide", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:t")
            ), .outcome(id, [1], .accepted), .reject(id, [2], code: "CODE"), .outcome(id, [3], .abandoned),
            .outcome(id, [4, 5, 6, 7], .intended), .outcome(id, [8], .unknown),
        ])
        var outcomes = UnrecordedOutcomes()
        // Of 9 the state knows nothing, and 50 is nobody's number.
        outcomes.accepted = [2, 3, 4, 9, 50]
        outcomes.rejected = ["OTHER": [1, 5]]
        (outcomes.deferred, outcomes.untried) = ([1, 6], [2, 7])
        state.apply(state.changes(recording: outcomes, of: id))
        let ledger = state.occurrences[id]?.ledger
        #expect(ledger?[.accepted] == [1, 4, 9])
        #expect(ledger?.codes["CODE"] == [2])
        #expect(ledger?.codes["OTHER"] == [5])
        #expect(ledger?[.abandoned] == [3])
        #expect(ledger?[.deferred] == [6])
        #expect(ledger?[.unknown] == [8])
        #expect(ledger?[.intended].isEmpty == true)
    }

    @Test func `who was refused for now until the end has got it if a report says so`() {
        var state = RecordedState.blank
        state.nextRecipient = 10
        let id: OccurrenceID = "tide@once"
        state.apply([
            .open(
                id,
                RecordedOccurrence(campaign: "tide", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:t")
            ), .outcome(id, [1, 2], .deferred), .reject(id, [3], code: "CODE"), .finish(id, at: .after(0)),
        ])
        var outcomes = UnrecordedOutcomes()
        outcomes.accepted = [1, 3]
        state.apply(state.changes(recording: outcomes, of: id))
        let ledger = state.occurrences[id]?.ledger
        #expect(ledger?[.accepted] == [1] && ledger?[.rejected] == [2, 3])
        #expect(ledger?.codes.counts == ["UNAVAILABLE": 1, "CODE": 1])
    }

    @Test(arguments: [
        #"[]"#, #"{"accepted":[[1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[2,1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[-1,1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[0,4294967295]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[1,2000000]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[["1",2]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[],"rejected":{"A B":[]},"deferred":[],"untried":[]}"#,
        #"{"accepted":[],"rejected":{},"deferred":[]}"#,
    ])
    func `a report with anything else in their place is refused`(_ text: String) throws {
        #expect(UnrecordedOutcomes(json: try JSONValue(parsing: text.utf8)) == nil)
    }
}
