import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct LedgerTests {
    private func ledger() -> Ledger {
        var ledger = Ledger()
        ledger.move([1, 2, 3], to: .intended)
        ledger.move([2], to: .accepted)
        ledger.reject([3], code: "UNREGISTERED")
        ledger.move([4], to: .deferred)
        ledger.move([5], to: .unknown)
        return ledger
    }

    @Test func `whom FCM asked to come back counts as not tried`() {
        #expect(ledger().settled == [1, 2, 3, 5])
        #expect(ledger().uncertain == [1, 5])
        var deferred = Ledger()
        deferred.move([1], to: .deferred)
        #expect(occurrence(deferred).hasTried == false)
        #expect(occurrence(ledger()).hasTried)
    }

    @Test func `whom FCM refused for now until the end is rejected, and counts as tried`() {
        var deferred = Ledger()
        deferred.move([1, 2], to: .deferred)
        var state = RecordedState(identity: .sample())
        state.occurrences = ["tide@once": occurrence(ledger()), "wind@once": occurrence(deferred)]
        state.apply([.finish("tide@once", at: .after(0)), .finish("wind@once", at: .after(0))])
        let (tide, wind) = (state.occurrences["tide@once"], state.occurrences["wind@once"])
        #expect(tide?.ledger?[.deferred] == [] && tide?.ledger?[.rejected] == [3, 4])
        #expect(tide?.counts.rejections == ["UNREGISTERED": 1, "UNAVAILABLE": 1])
        #expect(wind?.ledger?.codes["UNAVAILABLE"] == [1, 2] && wind?.hasTried == true)
    }

    @Test func `a rejection goes with its code`() {
        var ledger = ledger()
        ledger.reject([3], code: "INVALID_ARGUMENT")
        #expect(ledger.codes.counts == ["INVALID_ARGUMENT": 1])
        ledger.move([3], to: .rejected)
        #expect(ledger.codes.isEmpty)
        #expect(ledger[.rejected] == [3])
    }

    @Test func `counts say how many, and of whom nobody knows`() {
        let counts = LedgerCounts(ledger())
        #expect(counts[.accepted] == 1)
        #expect(counts.tried == 4)
        #expect(counts.uncertain == 2)
        #expect(counts.rejections == ["UNREGISTERED": 1])
    }

    @Test func `a summary keeps the ledger until the end`() {
        var occurrence = occurrence(ledger())
        #expect(occurrence.summary == occurrence)
        occurrence.finished = .after(0)
        #expect(occurrence.summary.ledger == nil)
        #expect(occurrence.summary.counts == occurrence.counts)
        #expect(occurrence.summary.hasTried)
    }

    @Test func `an occurrence whose ledger is not at hand stays as it is`() {
        var occurrence = occurrence(ledger())
        occurrence.finished = .after(0)
        var state = RecordedState(identity: .sample())
        state.occurrences["tide@once"] = occurrence.summary
        state.apply([.outcome("tide@once", [5], .accepted), .reopen("tide@once")])
        #expect(state.occurrences["tide@once"] == occurrence.summary)
    }

    private func occurrence(_ ledger: Ledger) -> RecordedOccurrence {
        var occurrence = RecordedOccurrence(
            campaign: "tide", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:tides")
        occurrence.outcomes = .ledger(ledger)
        return occurrence
    }
}
