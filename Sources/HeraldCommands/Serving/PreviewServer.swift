import HTTPTypes
import HeraldCore
import Hummingbird
import Logging
import NIOCore

/// Shows previews in browsers of this machine, and nowhere else.
struct PreviewServer: Sendable {
    /// 0 picks a free port.
    let port: Int
    let pages: PreviewPages

    private static let host = "127.0.0.1"

    /// Serves until its task is cancelled.
    ///
    /// - Parameter onReady: Gets the page's address once connections are accepted.
    func run(onReady: @escaping @Sendable (String) -> Void) async throws {
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await respond(to: request) },
            configuration: ApplicationConfiguration(address: .hostname(Self.host, port: port)),
            onServerRunning: { onReady("http://\(Self.host):\($0.localAddress?.port ?? 0)/") },
            logger: Logger(label: "herald.preview", factory: { _ in SwiftLogNoOpLogHandler() }))
        do { try await application.run() } catch  where Task.isCancelled {
            // Errors from a cancelled server do not matter.
        } catch {
            throw CommandFailure(
                .wrong, "cannot listen on \(Self.host):\(port)",
                help: "another program may use the port: name another one, or 0 for any free one")
        }
    }

    private func respond(to request: Request) async -> Response {
        // A website whose name leads to this machine must not read the page.
        guard Self.isOurs(request.head.authority) else {
            return Self.response(.forbidden, "text/plain", "This server answers to 127.0.0.1 and localhost only.\n")
        }
        guard request.method == .get else { return Self.response(.methodNotAllowed, "text/plain", "GET only.\n") }
        switch request.uri.path {
        case "/": return await Self.response(.ok, "text/html", pages.current().html)
        case "/version": return await Self.response(.ok, "text/plain", pages.version())
        case "/reload.js": return Self.response(.ok, "text/javascript", PreviewsDocument.reloadingScript)
        default: return Self.response(.notFound, "text/plain", "There is no such page.\n")
        }
    }

    /// Whether the authority names this machine, with any port.
    static func isOurs(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first else { return false }
        return ["127.0.0.1", "localhost"].contains(host.lowercased())
            && parts.dropFirst().allSatisfy { $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ text: String) -> Response {
        var headers: HTTPFields = [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"]
        headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in guarding {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// No other website may show the page in a frame, or use what is served here.
    private static let guarding = [
        "Content-Security-Policy": "frame-ancestors 'none'", "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
    ]
}
