/// Carries calls to FCM and brings back what came of them. It neither retries nor judges.
package protocol Sender: Sendable {
    /// How many exchanges it can carry at once; more would wait inside it.
    var capacity: Int { get }

    /// Waits until calls can leave at once, as far as that can be prepared.
    func prepare() async

    /// Has calls leave, each once, in their order as far as it lies with the sender. It does not wait for answers.
    func start(_ calls: [Call]) async
}

/// One call, and whom to tell what came of it.
package struct Call: Sendable {
    package let request: Request
    /// Told once, in any case, on whatever thread; it must not block.
    package let answer: @Sendable (Exchange) -> Void

    package init(_ request: Request, answer: @escaping @Sendable (Exchange) -> Void) {
        self.request = request
        self.answer = answer
    }
}

extension Sender {
    package func prepare() async {}

    /// Carries one call and waits for what comes of it.
    package func exchange(_ request: Request) async -> Exchange {
        let (answers, answer) = AsyncStream.makeStream(of: Exchange.self)
        await start([Call(request) { answer.yield($0) }])
        // A caller that is cancelled must not wait for a server.
        return await answers.first { _ in true } ?? .lost(reason: "the caller stopped waiting")
    }
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
