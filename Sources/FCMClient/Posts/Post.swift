package import FCM
internal import Logging

/// Sends small texts to an address that a person gave, such as the one of a monitor. The address is a secret: nothing
/// here shows it.
package struct Post: Sendable {
    package enum Problem: Error, Hashable, Sendable {
        /// It is neither `https://HOST[:PORT]/PATH` nor `http` on this machine.
        case notAnAddress
        /// No complete answer came.
        case unanswered(reason: String)
        /// It was answered with this status. A redirect is not followed: it could lead anywhere.
        case status(Int)
    }

    private let url: TokenURL
    private let proxies: ProxySettings

    package init(to url: String, proxies: ProxySettings) throws(Problem) {
        guard let parsed = TokenURL(url) else { throw .notAnAddress }
        (self.url, self.proxies) = (parsed, proxies)
    }

    /// One text on its way.
    package struct Letter: Sendable {
        package let path: String
        package let text: String
        /// The text's media type.
        package let type: String
        package let headers: [(name: String, value: String)]
        /// How long it may take.
        package let timeout: Duration
    }

    /// What carries a letter and reports what came back.
    package typealias Carrier = @Sendable (Post, Letter) async -> Exchange

    /// Sends one text, once.
    ///
    /// - Parameters:
    ///   - type: the text's media type.
    ///   - headers: must have no line breaks and nothing beyond ASCII.
    ///   - ending: put behind the address's path, as in `/start`.
    package func send(
        _ text: String, type: String, headers: [(name: String, value: String)] = [], to ending: String = "",
        within timeout: Duration, by carry: Carrier = { await $0.carry($1) }
    ) async throws(Problem) {
        let path = url.adding(ending).path
        let exchange = await carry(
            self, Letter(path: path, text: text, type: type, headers: headers, timeout: timeout))
        switch exchange {
        case .response(let response) where (200..<300).contains(response.status): return
        case .response(let response): throw .status(response.status)
        case .notSent(let reason), .refused(let reason), .lost(let reason): throw .unanswered(reason: reason)
        }
    }

    /// Carries a letter over a connection of its own.
    package func carry(_ letter: Letter) async -> Exchange {
        guard
            let pool = try? ConnectionPool(
                to: url.endpoint, version: .http1, proxies: proxies, timeout: letter.timeout,
                certificateAuthorities: nil, logger: Logger(label: "herald") { _ in SwiftLogNoOpLogHandler() })
        else { return .refused(reason: "the server cannot be called") }
        let call = HTTPCall(
            posting: letter.text, of: letter.type, to: TokenURL(endpoint: url.endpoint, path: letter.path),
            letter.headers)
        let exchange = await pool.carry(call)
        await pool.shutdown()
        return exchange
    }
}

extension TokenURL {
    /// The same address with a longer path.
    fileprivate func adding(_ ending: String) -> TokenURL {
        let end = path.firstIndex(of: "?") ?? path.endIndex
        let stem = path[..<end]
        let base = !ending.isEmpty && stem.hasSuffix("/") ? stem.dropLast() : stem
        return TokenURL(endpoint: endpoint, path: base + ending + path[end...])
    }
}
