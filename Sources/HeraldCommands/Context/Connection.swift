import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Logging

/// The client that a run sends through, signed in if it must be.
struct Connection {
    let sender: any Sender
    /// What a person should know about the credential's file; `nil` if there is nothing to say.
    let warning: String?
    private let close: @Sendable () async -> Void
    private let source: TokenSource?

    /// Uses a sender that is open already and needs no credential.
    init(over sender: any Sender) {
        (self.sender, warning, source) = (sender, nil, nil)
        close = {}
    }

    /// The caller must shut it down.
    ///
    /// - Parameter mayWrite: Whether anything may leave.
    init(
        to destination: Destination, _ settings: Settings, mayWrite: (@Sendable () -> Bool)?, logger: Logger
    ) throws {
        let authorities = destination.certificateAuthorities
        let found = try destination.credential()
        let (proxies, quotaProject) = (try destination.proxies(), found?.quotaProject(for: settings.project))
        warning = found?.fileWarning.map { "herald: warning: \($0)\n" }
        source = found.map { found in
            TokenSource(
                found.credential, quotaProject: quotaProject, timeout: settings.fcm.timeout,
                certificateAuthorities: authorities, proxies: proxies, now: { Date() }, logger: logger)
        }
        let client = try FCMClient(
            endpoints: destination.endpoints,
            project: settings.fcmProject,
            timeout: settings.fcm.timeout, maxInFlight: settings.fcm.maxInFlight, certificateAuthorities: authorities,
            authorization: source?.authorization, quotaProject: quotaProject, proxies: proxies, mayWrite: mayWrite,
            logger: logger)
        sender = client
        close = { await client.shutdown() }
    }

    /// Whether requests carry an access token.
    var signsIn: Bool { source != nil }

    func shutdown() async {
        await close()
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

    /// The account that requests are made as, if only a server can tell.
    func account() async -> String? { await source?.account() }

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

extension Settings {
    /// The project as calls name it.
    var fcmProject: Project { Project(id: project, senderID: senderID.flatMap(SenderID.init(rawValue:))) }
}
