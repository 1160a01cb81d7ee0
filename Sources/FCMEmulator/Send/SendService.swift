import FCM

/// `POST /v1/projects/{project}/messages:send`.
struct SendService {
    let project: String

    /// `nil` for other methods than POST.
    func answer(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer? {
        guard call.method == "POST" else { return nil }
        let request = try SendRequest(parsing: try call.content())
        let id = try backend.deliver { (world, now) throws(GoogleError) in
            try world.send(request, at: now)
        }
        return .json(["name": .string("projects/\(project)/messages/\(id)")])
    }
}

extension World {
    /// Delivers a message and returns its id.
    fileprivate mutating func send(_ request: SendRequest, at now: Date) throws(GoogleError) -> String {
        switch request.target {
        case .topic(let topic):
            try request.checkSize(for: Platform.allCases)
            if request.validateOnly { return Self.dryRunID }
            return deliver(request, toTopic: topic, at: now)
        case .condition(let condition, _):
            try request.checkSize(for: Platform.allCases)
            if request.validateOnly { return Self.dryRunID }
            return deliver(request, to: condition, at: now)
        case .token(let text) where groups.isKey(text):
            guard !settings.hasEndedServices, let group = groups.group(ofKey: text) else { throw .unregistered }
            try request.checkSize(for: Platform.allCases)
            if request.validateOnly { return Self.dryRunID }
            return deliver(request, toGroup: group, at: now)
        case .token(let text), .fid(let text):
            let registration = try addressee(text, of: request.target)
            let enrolment = try reachable(registration)
            try request.checkSize(for: CollectionOfOne(enrolment.platform))
            if request.validateOnly { return Self.dryRunID }
            if enrolment.state == .apnsDead { throw .disabledByApple }
            if enrolment.platform == .ios, let reason = DevicePayload.refusal(of: request.message.fields) {
                throw .refusedByApple(reason)
            }
            return deliver(request, to: registration, at: now)
        }
    }

    /// The id in the answer to a validation-only request.
    private static let dryRunID = "fake_message_id"

    private func addressee(_ text: String, of target: SendRequest.Target) throws(GoogleError) -> Registration {
        switch target {
        case .fid:
            guard let registration = Registration(text, kind: .fid) else { throw .unregistered }
            return registration
        default:
            guard let registration = Registration(text) else { throw .malformedToken }
            return registration
        }
    }

    private func reachable(_ registration: Registration) throws(GoogleError) -> Enrolment {
        guard let enrolment = enrolment(of: registration), enrolment.state != .unregistered else {
            throw .unregistered
        }
        if enrolment.state == .otherSender { throw .senderMismatch }
        return enrolment
    }
}

extension GoogleError {
    /// A malformed token. FCM sends the details of this error in this order, and of others in the opposite one.
    static let malformedToken = {
        let message = "The registration token is not a valid FCM registration token"
        return GoogleError(
            status: .invalidArgument, message: message,
            details: [
                .fcm(.invalidArgument), .badRequest([Violation(field: "message.token", description: message)]),
            ])
    }()

    static let unregistered = GoogleError(
        status: .notFound, message: "Requested entity was not found.", details: [.fcm(.unregistered)])

    static let senderMismatch = GoogleError(
        status: .permissionDenied, message: "SenderId mismatch", details: [.fcm(.senderIDMismatch)])

    /// APNs rejected the message. FCM's text for this is not known.
    fileprivate static func refusedByApple(_ reason: String) -> GoogleError {
        GoogleError(
            status: .invalidArgument, message: "Request contains an invalid argument.",
            details: [.fcm(.invalidArgument), .apns(statusCode: 400, reason: reason)])
    }

    /// APNs rejected the device. FCM passes it on like this, and only for real sends.
    fileprivate static let disabledByApple = GoogleError(
        status: .invalidArgument, message: "APNs device token is disabled.",
        details: [.fcm(.invalidArgument), .apns(statusCode: 410, reason: "Unregistered")])
}
