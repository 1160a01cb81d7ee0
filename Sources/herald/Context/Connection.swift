import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Logging

/// The client that a run sends through, signed in if it must be.
struct Connection {
    let sender: any Sender
    private let client: FCMClient
    private let source: TokenSource?

    /// The caller must shut it down.
    ///
    /// - Parameter mayWrite: Whether anything may leave.
    init(to destination: Destination, _ settings: Settings, mayWrite: (@Sendable () -> Bool)?) throws {
        let logger = Logger(label: "herald.client", factory: { _ in SwiftLogNoOpLogHandler() })
        let authorities = destination.certificateAuthorities
        source = try destination.account().map { account in
            try TokenSource(
                account, timeout: settings.fcm.timeout, certificateAuthorities: authorities, now: { Date() },
                logger: logger)
        }
        client = try FCMClient(
            endpoints: destination.endpoints,
            project: Project(id: settings.project, senderID: settings.senderID.flatMap(SenderID.init(rawValue:))),
            timeout: settings.fcm.timeout, maxInFlight: settings.fcm.maxInFlight, certificateAuthorities: authorities,
            authorization: source?.authorization, mayWrite: mayWrite, logger: logger)
        sender = client
    }

    /// Whether requests carry an access token.
    var signsIn: Bool { source != nil }

    func shutdown() async {
        await client.shutdown()
        await source?.shutdown()
    }

    /// Why there is no access token. `nil` if there is one, or if none is needed.
    func signIn() async -> TokenError? {
        guard let source else { return nil }
        do throws(TokenError) {
            _ = try await source.token()
            return nil
        } catch { return error }
    }

    /// Throws if Google refuses these credentials. If Google cannot be reached now, that is no error.
    ///
    /// - Parameter halt: returns when nobody wants to wait for the answer any more.
    func checkCredentials(until halt: @escaping @Sendable () async -> Void) async throws {
        guard let source else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await halt()
                if !Task.isCancelled { await source.withdraw() }
            }
            do throws(TokenError) { _ = try await source.token() } catch { if error.isPermanent { throw error } }
        }
    }
}
