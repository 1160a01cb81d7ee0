/// Carries calls to FCM and brings back what came of them. It neither retries nor judges.
package protocol Sender: Sendable {
    /// How many exchanges it can carry at once; more would wait inside it.
    var capacity: Int { get }

    /// Waits until calls can leave at once, as far as that can be prepared.
    func prepare() async

    /// Carries one call, once. A cancelled exchange ends as `lost` unless nothing of it had been sent.
    func exchange(_ request: Request) async -> Exchange
}

extension Sender {
    package func prepare() async {}
}

/// What came of one call.
package enum Exchange: Hashable, Sendable {
    /// A complete HTTP response.
    case response(Response)
    /// Nothing of the request left this machine, or the server said it did not look at it (RFC 9113 §6.8, §8.7).
    case notSent(reason: String)
    /// Nothing of the request left this machine, and nothing will before a person has changed something.
    case refused(reason: String)
    /// The request went out and no complete response came back: it may have had its effect.
    case lost(reason: String)
}

/// A complete HTTP response, as much of it as its meaning needs.
package struct Response: Hashable, Sendable {
    package var status: Int
    /// The `Retry-After` header as it came: seconds or an HTTP date (RFC 9110 §10.2.3).
    package var retryAfter: String?
    /// The `Date` header of an error, as it came.
    package var date: String?
    package var body: [UInt8]

    package init(status: Int, retryAfter: String? = nil, date: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

extension Response {
    /// Whether Google refuses the access token: a 401 that is not about the credentials FCM has for Apple or a browser.
    package var rejectsToken: Bool { status == 401 && !ErrorBody(body).isThirdParty }
}
