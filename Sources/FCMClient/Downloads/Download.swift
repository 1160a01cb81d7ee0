internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Gets a file from a server over HTTPS, whatever its size.
package struct Download: Sendable {
    package enum Problem: Error, Hashable, Sendable {
        /// It is not `https://HOST[:PORT]/PATH`.
        case notAnAddress
        /// A header has a character that no header may have.
        case header(String)
        /// The authorities to trust cannot be read.
        case unreadableAuthorities
        /// No connection, or one that ended early.
        case unreachable(String)
        /// It ended before all had come that the server announced.
        case cut
        case timeout
        case status(Int)
        /// It redirects to a host that the file does not name, or not to https.
        case foreignRedirect
        case tooManyRedirects
        /// It does not say where the file ends, so that nobody can tell whether it is whole.
        case endless
        /// It is packed in another way than gzip.
        case packing
        /// `take` did not take what came.
        case refused
    }

    /// What the server calls this version of the file.
    package struct Version: Hashable, Sendable {
        package var tag: String?
        package var modified: String?

        package init(tag: String?, modified: String?) { (self.tag, self.modified) = (tag, modified) }
    }

    package enum Answer: Hashable, Sendable {
        /// Nothing changed since the version that is known.
        case unchanged
        case whole(Version)
    }

    private static let mostRedirects = 5

    private let url: TokenURL
    private let headers: [(name: String, value: Secret)]
    private let hosts: Set<String>
    private let certificateAuthorities: String?
    private let proxies: ProxySettings

    /// - Parameters:
    ///   - headers: go to the URL's own host only.
    ///   - hosts: where answers may redirect to besides that.
    ///   - certificateAuthorities: the path of a PEM file with authorities to trust besides the system's.
    package init(
        _ url: String, headers: [String: String] = [:], hosts: Set<String> = [], certificateAuthorities: String?,
        proxies: ProxySettings
    ) throws(Problem) {
        guard let parsed = TokenURL(url), parsed.endpoint.scheme == .https else { throw .notAnAddress }
        for (name, value) in headers where !value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
            throw .header(name)
        }
        self.url = parsed
        self.headers = headers.sorted { $0.key < $1.key }.map { ($0.key, Secret($0.value)) }
        (self.hosts, self.certificateAuthorities, self.proxies) = (hosts, certificateAuthorities, proxies)
    }

    /// Asks once, and follows redirects. After a problem, some of the file may have been taken.
    ///
    /// - Parameters:
    ///   - known: the version that the caller has. Only the URL itself is asked for it, and names one.
    ///   - take: gets the file piece by piece, not on the caller's thread. It returns `false` to end the download.
    package func get(
        since known: Version?, within timeout: Duration, take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(Problem) -> Answer {
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        var place = url
        for _ in 0...Self.mostRedirects {
            // A version is of one address: a file that an answer leads to may have the same, and other people in it.
            let asked = place == url ? known : nil
            switch try await ask(place, since: asked, until: deadline, take: take) {
            case .answer(.unchanged) where asked == nil: throw .status(304)
            case .answer(.whole) where place != url: return .whole(Version(tag: nil, modified: nil))
            case .answer(let answer): return answer
            case .redirect(let location):
                guard let next = place.following(location), next.endpoint.scheme == .https,
                    next.endpoint == url.endpoint || hosts.contains(next.endpoint.host)
                else { throw .foreignRedirect }
                place = next
            }
        }
        throw .tooManyRedirects
    }

    private func ask(
        _ place: TokenURL, since known: Version?, until deadline: NIODeadline,
        take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(Problem) -> DownloadHandler.Outcome {
        let security: NIOSSLContext
        do { security = try NIOSSLContext(trusting: certificateAuthorities, for: .http1) } catch {
            throw .unreadableAuthorities
        }
        guard deadline > .now() else { throw .timeout }
        let outcome = start(place, since: known, security, until: deadline, take)
        do {
            return try await withTaskCancellationHandler {
                try await outcome.futureResult.get()
            } onCancel: {
                outcome.fail(Problem.timeout)
            }
        } catch {
            throw error as? Problem ?? .cut
        }
    }

    /// - Returns: The promise of the outcome. Whoever fails it ends the download.
    private func start(
        _ place: TokenURL, since known: Version?, _ security: NIOSSLContext, until deadline: NIODeadline,
        _ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) -> EventLoopPromise<DownloadHandler.Outcome> {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let outcome = loop.makePromise(of: DownloadHandler.Outcome.self)
        let call = head(of: place, since: known)
        var connector = Connector(
            endpoint: place.endpoint, version: .http1, proxy: proxies.proxy(for: place.endpoint), security: security,
            timeout: min(.seconds(10), max(deadline - .now(), .milliseconds(1))), mayWrite: nil)
        connector.receiver = { DownloadHandler(call, take, outcome) }
        let late = loop.scheduleTask(deadline: deadline) { outcome.fail(Problem.timeout) }
        let opening = connector.open(on: loop)
        opening.whenFailure { outcome.fail(Problem.unreachable(ConnectError($0).phrase)) }
        opening.whenSuccess { channel in
            do { try channel.pipeline.syncOperations.handler(type: DownloadHandler.self).send() } catch {
                outcome.fail(Problem.cut)
            }
        }
        outcome.futureResult.whenComplete { _ in
            late.cancel()
            opening.whenSuccess { $0.close(promise: nil) }
        }
        return outcome
    }

    private func head(of place: TokenURL, since known: Version?) -> HTTPRequestHead {
        var fields = HTTPHeaders()
        fields.add(name: "host", value: place.endpoint.authority)
        fields.add(name: "user-agent", value: "herald")
        fields.add(name: "accept-encoding", value: "gzip")
        if let tag = known?.tag { fields.add(name: "if-none-match", value: tag) }
        if let modified = known?.modified { fields.add(name: "if-modified-since", value: modified) }
        // A host that an answer redirects to must not get what is meant for another one.
        if place.endpoint == url.endpoint {
            for header in headers { fields.add(name: header.name, value: header.value.rawValue) }
        }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: place.path, headers: fields)
    }
}

extension TokenURL {
    /// Where a `Location` leads from here (RFC 9110 §10.2.2). `nil` if it is no address.
    fileprivate func following(_ location: String) -> TokenURL? {
        let place = String(location.prefix { $0 != "#" })
        return URL(string: place, relativeTo: URL(string: "\(endpoint)\(path)")).flatMap {
            TokenURL($0.absoluteString)
        }
    }
}
