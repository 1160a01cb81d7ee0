import Foundation
import HeraldTestSupport
import NIOHTTP1
import Synchronization
import Testing

@testable import FCMClient

/// Files from servers on loopback that speak TLS.
@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private typealias Outcome = (result: Result<Download.Answer, Download.Problem>, bytes: [UInt8])

    private static func get(
        _ url: String, _ certificate: Certificate, headers: [String: String] = [:], hosts: Set<String> = [],
        since version: Download.Version? = nil, within timeout: Duration = .seconds(60), taking limit: Int = .max
    ) async -> Outcome {
        let bytes = Mutex<[UInt8]>([])
        do throws(Download.Problem) {
            let download = try Download(
                url, headers: headers, hosts: hosts, certificateAuthorities: certificate.certificatePath,
                proxies: .none)
            let answer = try await download.get(since: version, within: timeout) { piece in
                bytes.withLock { $0 += piece }
                return bytes.withLock(\.count) <= limit
            }
            return (.success(answer), bytes.withLock { $0 })
        } catch {
            return (.failure(error), bytes.withLock { $0 })
        }
    }

    /// What a server's only answer comes to.
    private static func outcome(
        _ answer: PlainServer.Answer, within timeout: Duration = .seconds(60), taking limit: Int = .max
    ) async throws -> Outcome {
        let certificate = try Certificate()
        let found = Mutex<Outcome>((.failure(.cut), []))
        try await PlainServer.with(certificate: certificate, { _ in answer }) { server in
            let outcome = await get("\(server.endpoint)/list.csv", certificate, within: timeout, taking: limit)
            found.withLock { $0 = outcome }
        }
        return found.withLock { $0 }
    }

    @Test func `a file of many pieces comes whole, with its version`() async throws {
        let body = [UInt8](repeating: 7, count: 5_000_000)
        let headers: HTTPHeaders = ["etag": "\"v1\"", "last-modified": "Tue, 01 Dec 2026 09:00:00 GMT"]
        let outcome = try await Self.outcome(.reply(.ok, headers, body))
        #expect(
            outcome.result
                == .success(.whole(.init(tag: "\"v1\"", modified: "Tue, 01 Dec 2026 09:00:00 GMT"))))
        #expect(outcome.bytes == body)
    }

    @Test func `the server is asked whether anything changed, and for nothing else`() async throws {
        let certificate = try Certificate()
        try await PlainServer.with(certificate: certificate, { _ in .reply(.notModified) }) { server in
            let version = Download.Version(tag: "\"v1\"", modified: "Tue, 01 Dec 2026 09:00:00 GMT")
            let outcome = await Self.get(
                "\(server.endpoint)/a/list.csv?x=%20", certificate, headers: ["x-key": "secret"], since: version)
            #expect(outcome.result == .success(.unchanged))
            #expect(outcome.bytes.isEmpty)
            let request = try #require(server.arrivals.requests.first)
            #expect(request.method == "GET" && request.path == "/a/list.csv?x=%20")
            #expect(request.headers["if-none-match"] == "\"v1\"")
            #expect(request.headers["if-modified-since"] == "Tue, 01 Dec 2026 09:00:00 GMT")
            #expect(request.headers["x-key"] == "secret")
            #expect(request.headers["accept-encoding"] == "gzip")
        }
    }

    @Test(arguments: [
        (PlainServer.Answer.cutBody, Download.Problem.cut), (.cutChunks, .cut), (.close, .cut), (.reset, .cut),
        (.noise, .cut), (.reply(.notFound), .status(404)), (.reply(.unauthorized, [:], [1]), .status(401)),
        (.reply(.ok, ["content-encoding": "br"], [1]), .packing), (.reply(.noContent), .status(204)),
        (.reply(.partialContent, [:], [1]), .status(206)), (.reply(.found), .status(302)),
        (.reply(.found, ["location": ""]), .status(302)),
        (.reply(.found, ["location": "http://localhost/x"]), .foreignRedirect),
        (.reply(.found, ["location": "//localhost/x"]), .foreignRedirect),
        (.reply(.found, ["location": "https://user@localhost/x"]), .foreignRedirect),
        (.reply(.found, ["location": "https://elsewhere.example/x"]), .foreignRedirect),
        (.reply(.permanentRedirect, ["location": "/again"]), .tooManyRedirects),
        (.reply(.permanentRedirect, ["location": "again"]), .tooManyRedirects),
    ])
    func `an answer that is no whole file is a problem`(
        _ answer: PlainServer.Answer, _ problem: Download.Problem
    ) async throws {
        #expect(try await Self.outcome(answer).result == .failure(problem))
    }

    @Test func `a silent server is given up, and what is not taken ends the download`() async throws {
        #expect(try await Self.outcome(.silence, within: .milliseconds(300)).result == .failure(.timeout))
        let body = [UInt8](repeating: 7, count: 3_000_000)
        #expect(try await Self.outcome(.reply(.ok, [:], body), taking: 1000).result == .failure(.refused))
    }

    @Test func `secrets go to the first host only, and redirects lead to named hosts only`() async throws {
        let certificate = try Certificate()
        try await PlainServer.with(
            certificate: certificate, { _ in .reply(.ok, [:], [1, 2]) }
        ) { second in
            let there = "https://localhost:\(second.endpoint.port)/there"
            try await PlainServer.with(
                certificate: certificate,
                { request in
                    request.path == "/here"
                        ? .reply(.temporaryRedirect, ["location": there])
                        : .reply(.movedPermanently, ["location": "/here"])
                }
            ) { first in
                let url = "\(first.endpoint)/list.csv"
                let refused = await Self.get(url, certificate, headers: ["x-key": "secret"])
                #expect(refused.result == .failure(.foreignRedirect))
                #expect(second.arrivals.requests.isEmpty)
                let allowed = await Self.get(url, certificate, headers: ["x-key": "secret"], hosts: ["localhost"])
                #expect(allowed.bytes == [1, 2])
                #expect(first.arrivals.requests.suffix(2).allSatisfy { $0.headers["x-key"] == "secret" })
                #expect(second.arrivals.requests.map(\.path) == ["/there"])
                #expect(second.arrivals.requests.allSatisfy { $0.headers["x-key"] == nil })
            }
        }
    }

    @Test(arguments: [
        ("next.csv?x=%20#top", "/a/b/next.csv?x=%20"), ("../next.csv", "/a/next.csv"), ("?y", "/a/b/list.csv?y"),
        ("/next.csv", "/next.csv"),
    ])
    func `a redirect leads on from where it stands`(_ location: String, _ path: String) async throws {
        let certificate = try Certificate()
        try await PlainServer.with(
            certificate: certificate,
            { request in
                request.path == "/a/b/list.csv?x"
                    ? .reply(.found, ["location": location]) : .reply(.ok, [:], Array(request.path.utf8))
            }
        ) { server in
            let outcome = await Self.get("\(server.endpoint)/a/b/list.csv?x", certificate)
            #expect(String(decoding: outcome.bytes, as: UTF8.self) == path, "\(outcome.result)")
        }
    }

    @Test(arguments: [HTTPResponseStatus.ok, .notModified])
    func `a version says nothing about another file that a redirect leads to`(
        _ status: HTTPResponseStatus
    ) async throws {
        let certificate = try Certificate()
        let headers: HTTPHeaders = ["etag": "\"1\"", "last-modified": "Tue, 01 Dec 2026 09:00:00 GMT"]
        try await PlainServer.with(
            certificate: certificate,
            { request in
                request.path == "/latest.csv"
                    ? .reply(.found, ["location": "/2026-12-01.csv"]) : .reply(status, headers)
            }
        ) { server in
            let version = Download.Version(tag: "\"1\"", modified: "Tue, 01 Dec 2026 09:00:00 GMT")
            let outcome = await Self.get("\(server.endpoint)/latest.csv", certificate, since: version)
            let expected: Result<Download.Answer, Download.Problem> =
                status == .ok ? .success(.whole(.init(tag: nil, modified: nil))) : .failure(.status(304))
            #expect(outcome.result == expected)
            let requests = server.arrivals.requests
            #expect(requests.map { $0.headers["if-none-match"] } == ["\"1\"", nil])
            #expect(requests.last?.headers["if-modified-since"] == nil)
        }
    }

    @Test func `a server that is not trusted gets nothing`() async throws {
        let other = try Certificate()
        try await PlainServer.with(certificate: Certificate(), { _ in .reply(.ok, [:], [1]) }) { server in
            let outcome = await Self.get("\(server.endpoint)/list.csv", other, headers: ["x-key": "secret"])
            guard case .failure(.unreachable(let reason)) = outcome.result else {
                Issue.record("\(outcome.result)")
                return
            }
            #expect(reason.contains("TLS"))
            #expect(server.arrivals.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "http://localhost/x", "https://", "https://user:pw@host/x", "https://host/a b", "ftp://host/x", "",
    ])
    func `what is no https address is never called`(_ url: String) async throws {
        #expect(await Self.get(url, try Certificate()).result == .failure(.notAnAddress))
    }

    @Test func `a header with a line break is never sent`() async throws {
        let outcome = await Self.get("https://localhost/x", try Certificate(), headers: ["x-key": "a\r\nhost: b"])
        #expect(outcome.result == .failure(.header("x-key")))
    }
}
