import Logging
import Testing

@testable import FCM
@testable import FCMClient

/// The emulator's own interface, `/emulator/v1/…`.
struct Control {
    private let endpoint: Endpoint
    private let authorities: String?

    /// - Parameters:
    ///   - host: `HOST:PORT`, or `https://HOST:PORT`.
    ///   - authorities: The path of a PEM file with the certificate to trust.
    init(_ host: String, trusting authorities: String? = nil) throws {
        endpoint = try Endpoint(host.contains("://") ? host : "http://\(host)")
        self.authorities = authorities
    }

    var port: Int { endpoint.port }

    /// Every request that arrived.
    func requests() async throws -> [JSONValue] { try lines(await call("GET", "requests")) }

    /// The paths of those requests that asked which topics somebody's registration follows. `doctor` asks with one that
    /// nobody has.
    func questions() async throws -> [String] {
        try await requests().filter { $0["method"]?.string == "GET" }.compactMap { $0["path"]?.string }
            .filter { $0.contains("/topicSubscriptions") || $0.contains("/iid/info/") }
            .filter { !$0.contains("cHeraldDoctor") }
    }

    /// How many requests the current faults have affected.
    func faulted() async throws -> Int64 {
        let entries = try JSONValue(parsing: try await call("GET", "faults").body).array ?? []
        return entries.reduce(0) { $0 + ($1["counts"]?["faulted"]?.int ?? 0) }
    }

    /// How often each endpoint was asked for a token. Those that were not are left out.
    func signIns() async throws -> [String: Int] {
        let counts = try JSONValue(parsing: try await call("GET", "sign-ins").body).object ?? [:]
        return counts.compactMapValues { $0["requests"]?.int.map(Int.init) }.filter { $0.value > 0 }
    }

    func ledger() async throws -> [JSONValue] { try lines(await call("GET", "ledger")) }

    func members(ofTopic topic: String) async throws -> [String] { try await members("topics/\(topic)") ?? [] }

    /// `nil` if there is no such group.
    func members(ofGroup group: String) async throws -> [String]? { try await members("groups/\(group)") }

    /// Adds registrations or changes them.
    func put(_ registrations: [Registration], state: String, topics: [String]? = nil) async throws {
        let entries = registrations.map { registration -> JSONValue in
            var members: [String: JSONValue] = [
                "registration": .string(registration.rawValue), "state": .string(state),
            ]
            members["topics"] = topics.map { .array($0.map(JSONValue.string)) }
            return .object(members)
        }
        let answer = try await call("PUT", "registrations", JSONValue.array(entries).bytes())
        try #require(answer.status == 200)
    }

    /// Does to a device what a person or its app does.
    func change(_ registration: Registration, _ change: JSONValue) async throws {
        let answer = try await call("PUT", "devices/\(registration.rawValue)", change.bytes())
        try #require(answer.status == 200)
    }

    /// Lets the emulator's clock jump ahead.
    func advance(_ time: String) async throws {
        let answer = try await call("POST", "clock", JSONValue.object(["advance": .string(time)]).bytes())
        try #require(answer.status == 200)
    }

    /// Sets the faults that happen from now on.
    func put(faults script: JSONValue) async throws {
        let answer = try await call("PUT", "faults", script.bytes())
        try #require(answer.status == 200)
    }

    private func members(_ path: String) async throws -> [String]? {
        let answer = try await call("GET", path)
        if answer.status == 404 { return nil }
        return try #require(try JSONValue(parsing: answer.body).array).compactMap(\.string)
    }

    private func lines(_ answer: Response) throws -> [JSONValue] {
        try answer.body.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
    }

    private func call(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> Response {
        let pool = try ConnectionPool(
            to: endpoint, timeout: .seconds(15), certificateAuthorities: authorities,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let request = WireRequest(
            method: method, path: "/emulator/v1/\(path)", headers: [("content-type", "application/json")], body: body)
        let exchange = await pool.carry(HTTPCall(request, to: endpoint, bearer: nil))
        await pool.shutdown()
        guard case .response(let response) = exchange else { throw NoAnswer(exchange: "\(exchange)") }
        return response
    }

    struct NoAnswer: Error {
        var exchange: String
    }
}
