/// One of the services that make up Firebase Cloud Messaging, with the values from the path.
enum Service {
    case send(SendService)
    case topics(SubscriptionService)
    case instanceID(InstanceIDService)
    case groups(GroupService)
    /// The endpoints that issue access tokens.
    case oauth(SignInService)
    /// The calls that an app makes from its device.
    case app(AppService)

    /// The names of the services in fault scripts.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case send, topics, iid, groups, oauth
    }

    /// `nil` for calls from devices, which faults cannot affect.
    var name: Name? {
        switch self {
        case .send: .send
        case .topics: .topics
        case .instanceID: .iid
        case .groups: .groups
        case .oauth: .oauth
        case .app: nil
        }
    }

    /// `nil` for services that issue no access tokens.
    var signInEndpoint: SignInService.Endpoint? { if case .oauth(let service) = self { service.endpoint } else { nil } }

    /// `nil` if no service has this path.
    init?(for call: Call) {
        guard let path = call.path else { return nil }
        switch (path.first, path.count) {
        case ("v1", 4...7) where path[1] == "projects" && !path[2].isEmpty:
            if path[3...] == ["messages:send"] {
                self = .send(SendService(project: path[2]))
            } else if let service = AppService(project: path[2], path: path[3...]) {
                self = .app(service)
            } else if path[3] == "registrations", path.count > 5, path[5] == "topicSubscriptions" {
                self = .topics(
                    SubscriptionService(
                        project: path[2], registration: path[4], topic: path.count == 7 ? path[6] : nil))
            } else if let service = SignInService(path: path) {
                self = .oauth(service)
            } else {
                return nil
            }
        case ("iid", _):
            guard let service = InstanceIDService(path: path.dropFirst()) else { return nil }
            self = .instanceID(service)
        case ("fcm", 2) where path[1] == "notification": self = .groups(GroupService())
        default:
            guard let service = SignInService(path: path) else { return nil }
            self = .oauth(service)
        }
    }

    /// `nil` if the path does not have this method.
    func answer(_ call: Call, from backend: Backend) -> Answer? {
        switch self {
        case .send(let service):
            Self.settle { () throws(GoogleError) in
                try backend.admit(call)
                try call.checkQuery(of: service.project, allowing: [])
                return try service.answer(call, from: backend)
            }
        case .topics(let service):
            Self.settle { () throws(GoogleError) in
                try backend.admit(call)
                try call.checkQuery(of: service.project, allowing: service.parameters(of: call.method))
                return try service.answer(call, from: backend)
            }
        case .instanceID where backend.hasEndedServices, .groups where backend.hasEndedServices: nil
        case .instanceID(let service):
            Self.settle { () throws(TextError) in
                try backend.admitToOldService(call)
                return try service.answer(call, from: backend)
            }
        case .groups(let service):
            Self.settle { () throws(TextError) in
                try backend.admitToOldService(call)
                return try service.answer(call, from: backend)
            }
        case .app(let service):
            Self.settle { () throws(GoogleError) in try service.answer(call, from: backend) }
        case .oauth(let service):
            service.answer(call, from: backend)
        }
    }

    static func settle<Failure: AnswerableError>(_ body: () throws(Failure) -> Answer?) -> Answer? {
        do { return try body() } catch { return error.answer }
    }
}

extension Backend {
    fileprivate func admit(_ call: Call) throws(GoogleError) {
        guard let flaw = signInFlaw(of: call) else { return }
        throw .unauthenticated(flaw)
    }

    /// The services older than v1 also require the header `access_token_auth`.
    fileprivate func admitToOldService(_ call: Call) throws(TextError) {
        if signInFlaw(of: call) != nil { throw .unauthorized }
        try call.checkAccessTokenAuth()
    }
}
