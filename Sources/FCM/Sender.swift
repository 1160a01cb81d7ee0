/// Carries calls to FCM and reports what came back. It does not retry, and it does not judge answers.
package protocol Sender: Sendable {
    /// How many calls can be in flight at once. More would wait inside the sender.
    var capacity: Int { get }

    /// Prepares connections and an access token, so that the next calls can leave at once. Failures are not reported.
    func prepare() async

    /// Starts calls, each exactly once and in order as far as possible. It does not wait for answers.
    func start(_ calls: [Call]) async

    /// Answers the calls that have not left with `notSent`, and lets none leave from now on. It does not wait for those
    /// that have left.
    func withdraw() async
}

/// One call, and the closure that receives its result.
package struct Call: Sendable {
    package let request: Request
    /// Called exactly once, on any thread. It must not block.
    package let answer: @Sendable (Exchange) -> Void

    package init(_ request: Request, answer: @escaping @Sendable (Exchange) -> Void) {
        self.request = request
        self.answer = answer
    }
}

extension Sender {
    package func prepare() async {}

    package func withdraw() async {}

    /// Carries one call and waits for its result.
    package func exchange(_ request: Request) async -> Exchange {
        let (answers, answer) = AsyncStream.makeStream(of: Exchange.self)
        await start([Call(request) { answer.yield($0) }])
        // A cancelled caller must not wait for a server.
        return await answers.first { _ in true } ?? .lost(reason: "the caller stopped waiting")
    }
}

/// What came back for one call.
package enum Exchange: Hashable, Sendable {
    /// A complete HTTP response.
    case response(Response)
    /// Nothing of the request left this machine, or the server said that it did not process it (RFC 9113 §6.8, §8.7).
    case notSent(reason: String)
    /// Nothing of the request left this machine, and nothing will leave until a person changes something.
    case refused(reason: String)
    /// The request went out, but no complete response came back. It may have had its effect.
    case lost(reason: String)
}

/// A complete HTTP response, with only the parts that decide its meaning.
package struct Response: Hashable, Sendable {
    package var status: Int
    /// The `Retry-After` header as received: seconds or an HTTP date (RFC 9110 §10.2.3).
    package var retryAfter: String?
    /// The `Date` header, as received.
    package var date: String?
    /// The `Metadata-Flavor` header, with which a metadata server shows that it is one.
    package var metadataFlavor: String?
    package var body: [UInt8]

    package init(status: Int, retryAfter: String? = nil, date: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

extension Response {
    /// Whether Google refused the access token. A 401 about the credentials that FCM holds for Apple or a browser is
    /// not meant.
    package var rejectsToken: Bool { status == 401 && !ErrorBody(body).isThirdParty }
}
