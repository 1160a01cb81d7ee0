import FCM
import Testing

struct RetryTermsTests {
    private func verdicts(_ status: Int, retryAfter: String? = nil, body: String = rpc("UNAVAILABLE")) throws
        -> [Verdict]
    {
        let exchange = Exchange.response(Response(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
        return [
            Verdict(send: exchange, to: .registration(try .fid)), Verdict(membership: exchange, subscribes: true),
        ]
    }

    @Test(arguments: [429, 503])
    func `Retry-After is handed on as it came`(_ status: Int) throws {
        for header in ["37", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            for verdict in try verdicts(status, retryAfter: header) {
                #expect(verdict.terms?.retryAfter == header)
            }
        }
    }

    @Test(arguments: [("3.5s", "4"), ("30s", "30"), ("0.1s", "1")])
    func `RetryInfo stands in for a missing header, in whole seconds`(_ delay: String, _ header: String) throws {
        let detail = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"\#(delay)"}"#
        for verdict in try verdicts(429, body: rpc("RESOURCE_EXHAUSTED", detail: detail)) {
            #expect(verdict.terms?.retryAfter == header)
        }
        for verdict in try verdicts(429, retryAfter: "9", body: rpc("RESOURCE_EXHAUSTED", detail: detail)) {
            #expect(verdict.terms?.retryAfter == "9")
        }
    }

    @Test(arguments: ["infs", "nans", "1e300s", "-1s", "99999999999999999999s"])
    func `a RetryInfo that makes no sense is as good as none`(_ delay: String) throws {
        let detail = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"\#(delay)"}"#
        for verdict in try verdicts(503, body: rpc("UNAVAILABLE", detail: detail)) {
            #expect(verdict.terms?.retryAfter == nil)
        }
    }

    @Test(arguments: [(429, Duration.seconds(60)), (500, .seconds(10)), (503, .seconds(10))])
    func `FCM's least wait is kept`(_ status: Int, _ floor: Duration) throws {
        for verdict in try verdicts(status) {
            #expect(verdict.terms?.floor == floor)
        }
    }

    @Test(arguments: [("project:p", 240), ("device:d", nil), ("topic:t", nil), ("other", 240)])
    func `only the limit of the project's quota is taken for it`(_ subject: String, _ limit: Int?) throws {
        let detail = """
            {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\(subject)"}]},
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","metadata":{"quota_limit_value":"240"}}
            """
        for verdict in try verdicts(429, body: rpc("RESOURCE_EXHAUSTED", detail: detail)) {
            #expect(verdict.terms?.projectLimit == limit)
        }
    }
}
