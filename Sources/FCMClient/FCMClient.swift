package import FCM
package import Logging
internal import NIOCore

/// Carries calls to Google over HTTP/2 and TLS, or to an emulator on this machine over plain HTTP/1.1.
///
/// Each call goes out at most once. Connections are opened when they are needed and stay open until `shutdown()`.
package final class FCMClient: Sender {
    /// To each server.
    package let capacity: Int
    private let endpoints: Endpoints
    private let project: Project
    private let authorization: Authorization?
    private let pools: [Endpoint: ConnectionPool]

    /// - Parameters:
    ///   - timeout: The longest an exchange may take, from having a token to the last byte of the response.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's.
    ///   - authorization: What signs the client in; none towards an emulator.
    package convenience init(
        endpoints: Endpoints,
        project: Project,
        timeout: Duration = .seconds(15),
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        logger: Logger
    ) throws {
        try self.init(
            endpoints: endpoints, project: project, timeout: timeout, certificateAuthorities: certificateAuthorities,
            authorization: authorization, idleLimit: nil, logger: logger)
    }

    /// - Parameter idleLimit: Instead of the one that fits the endpoint.
    init(
        endpoints: Endpoints,
        project: Project,
        timeout: Duration,
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        idleLimit: TimeAmount?,
        logger: Logger
    ) throws {
        let distinct: Set = [endpoints.fcm, endpoints.iid]
        if certificateAuthorities != nil, distinct.allSatisfy({ $0.scheme == .http }) {
            throw FCMClientError.authoritiesWithoutTLS
        }
        pools = try Dictionary(
            uniqueKeysWithValues: distinct.map { endpoint in
                let pool = try ConnectionPool(
                    to: endpoint, timeout: timeout, certificateAuthorities: certificateAuthorities,
                    idleLimit: idleLimit, logger: logger)
                return (endpoint, pool)
            })
        capacity = pools.values.map(\.capacity).min() ?? 0
        self.endpoints = endpoints
        self.project = project
        self.authorization = authorization
    }

    /// Has an access token, where one is needed and can be had.
    package func prepare() async {
        _ = try? await authorization?.token()
    }

    package func start(_ calls: [Call]) async {
        for call in calls { Task { call.answer(await exchange(call.request)) } }
    }

    package func exchange(_ request: Request) async -> Exchange {
        if case .group = request, project.senderID == nil {
            return .refused(reason: "device groups need sender_id, the project's number")
        }
        let token: AccessToken?
        do throws(TokenError) {
            token = try await authorization?.token()
        } catch {
            return error.isPermanent ? .refused(reason: error.description) : .notSent(reason: error.description)
        }
        let wire = request.wire(project: project)
        let endpoint = endpoints[wire.service]
        guard let pool = pools[endpoint] else { preconditionFailure("every endpoint has its pool") }
        let exchange = await pool.carry(HTTPCall(wire, to: endpoint, bearer: token))
        if let token, case .response(let response) = exchange, response.rejectsToken {
            await authorization?.reject(token)
        }
        return exchange
    }

    /// Ends what is under way, closes every connection, and refuses what comes later.
    package func shutdown() async {
        for pool in pools.values { await pool.shutdown() }
    }

    /// How many connections are open now.
    var openConnections: Int {
        get async {
            var count = 0
            for pool in pools.values { count += await pool.openConnections }
            return count
        }
    }
}
