import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct SurveyTests {
    private static func instant(_ second: Double) -> Date { Date(timeIntervalSince1970: 1_796_112_000 + second) }

    private func survey(_ members: RecipientSet, limit: Int? = nil, _ observed: [Date: RecipientSet]) -> Survey {
        Survey(
            .comparison(records: false), ExpectedSubscriptions(of: [], filled: [], in: .blank), asking: members,
            limit: limit, in: Project(id: "p"), settle: .zero, noted: Self.instant(9),
            after: Partition(disjoint: observed))
    }

    @Test func `those are asked for first who were asked for longest ago`() {
        let observed =
            [Self.instant(3): [1, 2, 9], Self.instant(1): [5, 6], Self.instant(2): [3]] as [Date: RecipientSet]
        #expect(survey([1, 2, 3, 4, 5, 6, 7], observed).groups == [[4, 7], [5, 6], [3], [1, 2]])
        #expect(survey([1, 2, 3, 4, 5, 6, 7], limit: 3, observed).groups == [[4, 7], [5]])
        #expect(survey([1, 2, 3, 4, 5, 6, 7], limit: 2, observed).groups == [[4, 7]])
        #expect(survey([], observed).groups.isEmpty)
    }

    @Test func `the oldest answer is told, and how many never had one`() {
        let observed = Partition(disjoint: [Self.instant(3): [1, 2], Self.instant(1): [5]] as [Date: RecipientSet])
        let oldest = { (members: RecipientSet, asked: RecipientSet) in
            Survey.oldest(of: members, observed, now: asked, at: Self.instant(9))
        }
        #expect(oldest([1, 2, 5], []) == (Self.instant(1), 0))
        #expect(oldest([1, 2, 5], [5]) == (Self.instant(3), 0))
        #expect(oldest([1, 2, 5], [1, 2, 5]) == (Self.instant(9), 0))
        #expect(oldest([1, 7, 8], [1]) == (nil, 2))
        #expect(oldest([], []) == (nil, 0))
    }

    // MARK: Passes

    private func state(_ observed: [Date: RecipientSet], noting pass: SurveyPass? = nil) -> RecordedState {
        var state = RecordedState.blank
        state.observed = Partition(disjoint: observed)
        if let pass { state.apply([pass.noting]) }
        return state
    }

    @Test func `a pass goes on with those who were not asked for since it began`() {
        let first = SurveyPass(about: [], [1, 2, 3], in: state([:]), at: Self.instant(5))
        #expect(first.began == Self.instant(5) && !first.isContinued)
        let between = state([Self.instant(4): [3], Self.instant(5): [1], Self.instant(7): [2, 9]], noting: first)
        let next = SurveyPass(about: [], [1, 2, 3], in: between, at: Self.instant(8))
        #expect(next.began == first.began)
        #expect(next.before == [1, 2])
    }

    @Test func `a pass about something else, one that is over, and one with nobody left is not gone on with`() {
        let first = SurveyPass(about: ["topic a"], [1, 2], in: state([:]), at: Self.instant(5))
        let begun = state([Self.instant(5): [1]], noting: first)
        #expect(SurveyPass(about: [], [1, 2], in: begun, at: Self.instant(8)).before == [])
        #expect(SurveyPass(about: ["topic a"], [1], in: begun, at: Self.instant(8)).before == [])
        var over = begun
        over.apply([SurveyPass.ended])
        #expect(SurveyPass(about: ["topic a"], [1, 2], in: over, at: Self.instant(8)).before == [])
    }

    @Test func `a new pass has a time of its own, also when the clock went back`() {
        let known = state([Self.instant(100): [1]])
        let pass = SurveyPass(about: [], [1, 2], in: known, at: Self.instant(8))
        #expect(pass.began > Self.instant(100))
        #expect(RecordedState.observationTime(pass.began) == pass.began)
    }

    @Test(arguments: ["", "{}", "[", #"{"began":"x","scope":"y"}"#, #"{"began":-1,"scope":"y"}"#])
    func `a damaged note is no pass`(_ note: String) {
        var state = state([Self.instant(5): [1]])
        state.apply([.note(.driftPass, note)])
        #expect(!SurveyPass(about: [], [1, 2], in: state, at: Self.instant(8)).isContinued)
    }

    // MARK: What differs

    /// Registration 1 is managed, 2 pre-existing, 3 adopted, 4 may be subscribed, 5 looked dead, 6 has left.
    private static let news: RecordedState = {
        var state = RecordedState.blank
        for (id, membership) in [
            (1, Membership.managed), (2, .preexisting), (3, .adopted), (4, .subscribing), (5, .forgotten), (6, .left),
        ] {
            state.apply([.members("news", [RecipientID(id)], membership, at: instant(0))])
        }
        return state
    }()

    @Test(arguments: [
        (1, true, "same"), (2, true, "same"), (3, true, "same"), (1, false, "left"), (2, false, "left"),
        (3, false, "left"), (4, true, ""), (4, false, ""), (5, true, ""), (5, false, ""), (6, false, ""),
        (6, true, "foreign"), (7, true, "foreign"), (7, false, ""),
    ])
    func `each relation to a topic means something else`(_ id: RecipientID, _ follows: Bool, _ meaning: String) {
        let expected = ExpectedSubscriptions(of: ["news"], filled: ["news"], in: Self.news)
        let (same, difference) = expected.compare(id, following: follows ? ["news", "other"] : ["other"])
        #expect(same == (meaning == "same" ? ["news"] : []))
        #expect(difference.left == (meaning == "left" ? ["news"] : []))
        #expect(difference.foreign == (meaning == "foreign" ? ["news"] : []))
    }

    @Test func `a topic that no file declares has nobody foreign`() {
        let expected = ExpectedSubscriptions(of: ["news"], filled: [], in: Self.news)
        #expect(expected.compare(7, following: ["news"]).difference.isEmpty)
        #expect(expected.compare(1, following: []).difference.left == ["news"])
    }

    @Test func `only who is looked at is asked for`() {
        let expected = ExpectedSubscriptions(
            of: ["news", "surf"], filled: ["surf"], among: [2, 3, 9], in: Self.news)
        #expect(expected.everybody == [2, 3])
        #expect(expected.names == ["news", "surf"])
    }
}
