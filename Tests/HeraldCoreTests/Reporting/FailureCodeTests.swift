import FCM
import HeraldCore
import Testing

struct FailureCodeTests {
    /// FCM's ErrorCode reference. Every code must have an explanation.
    @Test(arguments: [
        "UNSPECIFIED_ERROR", "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE",
        "INTERNAL", "THIRD_PARTY_AUTH_ERROR",
    ])
    func `FCM's codes are explained`(_ code: String) {
        #expect(FailureCode(rawValue: code) != nil)
    }

    /// The words of a report if the answer has none.
    @Test(arguments: [400, 401, 403, 404, 408, 429, 500, 503, 504])
    func `a status without words has a code that is explained`(_ status: Int) throws {
        let response = Response(status: status, body: Array("<html>".utf8))
        let verdict = Verdict(send: .response(response), to: .topic(try #require(TopicName(rawValue: "t"))))
        let failure = try #require(verdict.failure)
        #expect(FailureCode(rawValue: failure.code) != nil, "\(failure.code)")
    }

    @Test(arguments: [Exchange.notSent(reason: "r"), .lost(reason: "r"), .refused(reason: "r")])
    func `what became no answer is explained`(_ exchange: Exchange) throws {
        let verdict = Verdict(send: exchange, to: .topic(try #require(TopicName(rawValue: "t"))))
        let failure = try #require(verdict.failure)
        #expect(FailureCode(rawValue: failure.code) != nil, "\(failure.code)")
    }
}

extension Verdict {
    fileprivate var failure: Failure? {
        switch self {
        case .accepted, .preexisting: nil
        case .again(let failure, _): failure
        case .rejected(let failure), .dead(let failure), .stop(let failure), .unknown(let failure),
            .unauthenticated(let failure), .unavailable(let failure):
            failure
        }
    }
}
