import FCM

/// The calls that an app's SDK makes from a device: `fcmregistrations.googleapis.com` for registrations and topics, and
/// `firebaseinstallations.googleapis.com` for the installation's identity.
///
/// Requests, and the members of answers that SDKs read, follow Firebase's SDKs for the web and Apple. The rest of the
/// answers is not known, nor are the error texts that do not come from Google's front end.
struct AppService {
    let project: String
    let action: Action

    enum Action: Hashable, Sendable {
        case register
        /// The registration is a token or a fid.
        case registration(String)
        case topic(String, of: String, joins: Bool)
        case install
        case installation(String)
        case authToken(String)
    }

    /// - Parameter path: the part after the project. The result is `nil` if it is not a call of an app.
    init?(project: String, path: ArraySlice<String>) {
        self.project = project
        let parts = Array(path)
        switch (parts.first, parts.count) {
        case ("registrations", 1): action = .register
        case ("registrations", 2): action = .registration(parts[1])
        case ("registrations", 4) where parts[2] == "topicSubscriptions":
            // Topic names hold no colon.
            let words = parts[3].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, ["subscribe", "unsubscribe"].contains(words[1]) else { return nil }
            action = .topic(words[0], of: parts[1], joins: words[1] == "subscribe")
        case ("installations", 1): action = .install
        case ("installations", 2): action = .installation(parts[1])
        case ("installations", 3) where parts[2] == "authTokens:generate": action = .authToken(parts[1])
        default: return nil
        }
    }

    /// `nil` if the path does not have this method.
    func answer(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer? {
        guard methods.contains(call.method) else { return nil }
        if call.header(.apiKey)?.isEmpty ?? true { throw .noAPIKey }
        switch (call.method, action) {
        case ("POST", .install): return .json(try install(call, in: backend))
        case ("POST", .authToken(let fid)): return .json(try authToken(for: fid, call, in: backend))
        case ("DELETE", .installation(let fid)):
            try backend.change { (world, now) throws(GoogleError) in
                let fid = try world.installation(fid, of: call, isTrusted: backend.isReplaying)
                world.uninstall(fid)
            }
            return .json([:])
        case ("POST", .register): return .json(try register(call, in: backend))
        case ("PATCH", .registration(let name)): return .json(try register(call, again: name, in: backend))
        case ("DELETE", .registration(let name)):
            try backend.change { (world, now) throws(GoogleError) in
                let fid = try world.caller(of: call, for: name, at: now)
                world.unregister(fid)
            }
            return .json([:])
        case ("POST", .topic(let topic, let name, let joins)):
            try change(topic, of: name, joins: joins, call, in: backend)
            return .json([:])
        default: return nil
        }
    }

    private var methods: [String] {
        switch action {
        case .install, .authToken, .register, .topic: ["POST"]
        case .installation: ["DELETE"]
        case .registration: ["PATCH", "DELETE"]
        }
    }

    private func install(_ call: Call, in backend: Backend) throws(GoogleError) -> JSONValue {
        let body = try call.document()
        guard let app = body["appId"]?.string, !app.isEmpty else {
            throw .invalidMessage("The appId is not set.", at: "app_id")
        }
        return try backend.change { (world, now) throws(GoogleError) in
            // An app without a fid, or with a malformed one, gets a new fid.
            let fid = body["fid"]?.string.flatMap { Registration($0, kind: .fid) } ?? world.newInstallation()
            let secret = world.install(fid)
            return [
                "name": .string("projects/\(project)/installations/\(fid.rawValue)"), "fid": .string(fid.rawValue),
                "refreshToken": .string(secret), "authToken": try world.authToken(of: fid, app: app, at: now),
            ]
        }
    }

    private func authToken(for fid: String, _ call: Call, in backend: Backend) throws(GoogleError) -> JSONValue {
        let app = try call.document()["installation"]?["appId"]?.string ?? ""
        return try backend.change { (world, now) throws(GoogleError) in
            let fid = try world.installation(fid, of: call, isTrusted: backend.isReplaying)
            return try world.authToken(of: fid, app: app, at: now)
        }
    }

    /// - Parameter name: the registration to renew. `nil` for a new one.
    private func register(_ call: Call, again name: String? = nil, in backend: Backend) throws(GoogleError) -> JSONValue
    {
        let device = try DeviceForm(try call.document())
        var answer = device.members
        try backend.change { (world, now) throws(GoogleError) in
            let fid = try world.caller(of: call, for: name, at: now)
            let token = world.register(fid, by: device.kind, on: device.platform)
            answer["name"] = .string("projects/\(project)/registrations/\(fid.rawValue)")
            answer["token"] = .string(token.rawValue)
        }
        return .object(answer)
    }

    private func change(
        _ name: String, of registration: String, joins: Bool, _ call: Call, in backend: Backend
    ) throws(GoogleError) {
        guard let topic = TopicName(rawValue: name) else {
            throw .invalidMessage("Topic name contains invalid characters.", at: "topic_name")
        }
        try backend.change { (world, now) throws(GoogleError) in
            let fid = try world.caller(of: call, for: registration, at: now)
            // Subscriptions belong to the registration in the path.
            guard let registration = Registration(registration), world.enrolment(of: registration)?.state == .active
            else { throw .noRegistration }
            guard joins else { return world.leave(registration, topic, at: now) }
            guard world.topicCount(of: fid) < SubscriptionService.maximumTopics else { throw .tooManyTopics }
            world.join(registration, topic, at: now)
        }
    }
}

extension Call {
    fileprivate func document() throws(GoogleError) -> JSONValue {
        guard let document = try? JSONValue(parsing: try content()), document.object != nil else {
            throw .violation("Invalid JSON payload received. Unexpected token.")
        }
        return document
    }
}

extension GoogleError {
    fileprivate static let noAPIKey = GoogleError(
        status: .permissionDenied, message: "The request is missing a valid API key.")
}
