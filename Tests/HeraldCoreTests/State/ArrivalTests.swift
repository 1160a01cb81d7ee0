import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct ArrivalTests {
    @Test func `who has no number gets the next`() {
        let arrivals = [Arrival(.fid(1)), Arrival(.token(2), id: 7), Arrival(.fid(3))]
        #expect(arrivals.numbers(besides: [], after: 9) == [10, 7, 11])
    }

    @Test func `a recipient that came meanwhile keeps its number, also with another registration`() {
        let others = [KnownRecipient(id: 10, registration: .token(3)), KnownRecipient(id: 11, registration: .fid(8))]
        #expect([Arrival(.fid(1)), Arrival(.fid(3))].numbers(besides: others, after: 11) == [12, 10])
    }
}
