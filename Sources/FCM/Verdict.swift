/// What an exchange means for its recipient. This is the only place that decides it; the rest of herald never looks at
/// an HTTP status.
package enum Verdict: Hashable, Sendable {
    /// FCM accepted it. A message has an id, the last part of its name. A membership has none.
    case accepted(messageID: String?)
    /// The subscription existed before.
    case preexisting
    /// The registration is dead: no request to it will ever succeed.
    case dead(Failure)
    /// FCM refused this registration or this message. Other requests may succeed.
    case rejected(Failure)
    /// FCM says that the request had no effect. Another try may succeed.
    case again(Failure, Repeat)
    /// The request may have had its effect, and there is no way to find out.
    case unknown(Failure)
    /// FCM refused the access token, so nothing took effect. The request may go once more with a new token.
    case unauthenticated(Failure)
    /// The project does not have this API. The caller has to use the other one.
    case unavailable(Failure)
    /// Every request of this kind would fail: a setting, a permission or the message itself is wrong.
    case stop(Failure)

    /// The conditions for another try.
    package struct Repeat: Hashable, Sendable {
        package enum Effect: Hashable, Sendable {
            /// The server did not process any part of the request.
            case none
            /// FCM has not taken it, and asks to come back later.
            case refused
            /// FCM failed and says that it has not taken it. If it delivered the message after all, a repeat is a
            /// second push.
            case deferred
            /// The request may have had its effect, but a repeat does no harm.
            case idempotent

            /// Whether FCM itself asks for another try.
            package var isAskedFor: Bool { self == .refused || self == .deferred }
        }
        package var effect: Effect
        /// The `Retry-After` header as received, or `RetryInfo` in seconds.
        package var retryAfter: String?
        /// The least time before another try. FCM asks for it.
        package var floor: Duration
        /// Whose quota was exceeded, after a 429. It is the project's if FCM does not say.
        package var quota: ErrorBody.Quota?
        /// The messages that the project may send in a minute, if the 429 says so.
        package var projectLimit: Int?
    }
}

/// Why a request was not accepted, in FCM's words.
package struct Failure: Error, Hashable, Sendable {
    /// FCM's code if there is one, else the gRPC status, else a name for the HTTP status or for the connection's
    /// failure.
    package var code: String
    package var httpStatus: Int?
    /// FCM's sentence, for people. Registrations in it are masked.
    package var message: String
    /// Whether FCM or Apple found fault with the message. Then another recipient's may be refused as well.
    package var isAboutMessage = false

    package init(code: String, httpStatus: Int? = nil, message: String) {
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }

    package init(_ code: FailureCode, httpStatus: Int? = nil, message: String) {
        self.init(code: code.rawValue, httpStatus: httpStatus, message: message)
    }
}

extension Verdict {
    /// Judges the answer to a `messages:send`, by docs/reference/fcm-errors.md#errors and
    /// docs/reference/outcomes.md#outcomes-and-retries.
    ///
    /// - Parameter differsByRecipient: Whether other recipients get another message than this one. Then FCM's sentence is
    /// not kept, because it may repeat what only this recipient gets.
    package init(send exchange: Exchange, to address: Address, differsByRecipient: Bool = false) {
        switch exchange {
        case .notSent(let reason): self = .notSent(reason)
        case .refused(let reason): self = .stop(.refused(reason))
        case .lost(let reason): self = .unknown(.lost(reason))
        case .response(let response):
            if response.status == 200 {
                self = Self.acceptance(response)
                return
            }
            let error = ErrorBody(response.body)
            let failure = Failure(response, error, isPersonal: differsByRecipient)
            switch response.status {
            // FCM says nothing of a mistake in the request, so it counts as one of its own.
            case 400 where error.fcmCode == FailureCode.unspecified.rawValue:
                self =
                    address.fansOut
                    ? .unknown(failure) : .again(failure, Repeat(.deferred, response, error, floor: .seconds(10)))
            case 400: self = .badRequest(error, failure, address, differsByRecipient)
            case 401: self = error.isThirdParty ? .rejected(failure) : .unauthenticated(failure)
            case 403:
                self = error.fcmCode == FailureCode.senderIDMismatch.rawValue ? .rejected(failure) : .stop(failure)
            case 404:
                self =
                    error.fcmCode == FailureCode.unregistered.rawValue && address.canDie
                    ? .dead(failure) : .stop(failure)
            case 429: self = .again(failure, Repeat(.refused, response, error, floor: Repeat.quotaFloor))
            // A proxy on the way may fail after it has handed the message on. Only FCM knows what it has not taken.
            case 503 where error.isGoogles, 500 where error.isGoogles && !address.fansOut:
                self = .again(failure, Repeat(.deferred, response, error, floor: .seconds(10)))
            case 300..<500 where response.status != 408: self = .stop(failure)
            default: self = .unknown(failure)
            }
        }
    }

    /// Judges the answer to a topic subscription call. Repeating such a call does no harm.
    ///
    /// - Parameter subscribes: Whether the call asked for a subscription. No other call can find that it existed before.
    package init(membership exchange: Exchange, subscribes: Bool) {
        switch exchange {
        case .notSent(let reason): self = .notSent(reason)
        case .refused(let reason): self = .stop(.refused(reason))
        case .lost(let reason): self = .again(.lost(reason), .afterLoss)
        case .response(let response):
            if response.status == 200 {
                // A proxy's page or a cut-off answer does not prove a subscription. Asking again does no harm.
                self =
                    (try? JSONValue(parsing: response.body))?.object != nil
                    ? .accepted(messageID: nil)
                    : .again(.unreadable("the answer is no JSON object"), .afterNonsense)
                return
            }
            let error = ErrorBody(response.body)
            let failure = Failure(response, error)
            switch response.status {
            case 409 where subscribes && error.saysItExists: self = .preexisting
            // Google's code for two changes at once is 409 as well, `ABORTED`.
            case 409: self = .again(failure, Repeat(.idempotent, response, error, floor: .seconds(10)))
            case 404 where error.isJSON && (error.fcmCode ?? error.status) != nil: self = .dead(failure)
            case 404 where !error.isJSON, 501: self = .unavailable(failure)
            case 400: self = .rejected(failure)
            case 401: self = error.isThirdParty ? .rejected(failure) : .unauthenticated(failure)
            case 403 where error.fcmCode == FailureCode.senderIDMismatch.rawValue: self = .rejected(failure)
            case 403 where error.misconfiguration == .apiDisabled: self = .unavailable(failure)
            case 429 where [error.status, error.fcmCode].contains(FailureCode.tooManyTopics.rawValue):
                self = .rejected(failure)
            default:
                self = Repeat(afterRepeatable: response, error).map { .again(failure, $0) } ?? .stop(failure)
            }
        }
    }

    private static func notSent(_ reason: String) -> Verdict { .again(.notSent(reason), .afterNothing) }

    private static func acceptance(_ response: Response) -> Verdict {
        guard let name = MessageName(acceptance: response.body) else {
            return .unknown(.unreadable("the answer holds no message name"))
        }
        return .accepted(messageID: name.id)
    }

    private static func badRequest(
        _ error: ErrorBody, _ failure: Failure, _ address: Address, _ differsByRecipient: Bool
    ) -> Verdict {
        guard address.canDie else { return .stop(failure) }
        if error.apns?.statusCode == 410, !address.fansOut { return .dead(failure) }
        if error.appleReason?.subject == .service, !address.fansOut {
            return .again(failure, Repeat(effect: .deferred, floor: .seconds(10)))
        }
        if error.apns != nil {
            return address.fansOut
                ? .stop(failure) : .rejected(failure.aboutMessage(error.appleReason?.subject ?? .message == .message))
        }
        if !error.violatedFields.isEmpty {
            let isAboutTarget = error.violatedFields.allSatisfy { $0 == "message.token" || $0 == "message.fid" }
            return isAboutTarget ? .dead(failure) : .faultOfMessage(failure, address, differsByRecipient)
        }
        // FCM has no code that tells a bad token from a bad message. Only these sentences do.
        let message = error.message ?? ""
        if message.contains("not a valid FCM registration token") { return .dead(failure) }
        if address.fansOut { return .stop(failure) }
        if message.hasPrefix("APNs device token is disabled") { return .dead(failure) }
        if message.contains("too large") || message.contains("too big") {
            return .faultOfMessage(failure, address, differsByRecipient)
        }
        return error.fcmCode == nil ? .stop(failure) : .rejected(failure.aboutMessage())
    }

    /// Where everybody gets the same message, everybody's would be refused. Where recipients get different ones, the
    /// next may be right.
    private static func faultOfMessage(
        _ failure: Failure, _ address: Address, _ differsByRecipient: Bool
    ) -> Verdict {
        differsByRecipient && !address.fansOut ? .rejected(failure.aboutMessage()) : .stop(failure)
    }
}

extension ErrorBody {
    /// Whether a 409 says that the subscription existed before. A proxy's page says nothing of it.
    fileprivate var saysItExists: Bool { isJSON && (status ?? "ALREADY_EXISTS") == "ALREADY_EXISTS" }

    /// `ApnsError.reason`, if it is one of Apple's.
    fileprivate var appleReason: AppleReason? { apns?.reason.flatMap(AppleReason.init(rawValue:)) }

    /// What the details add to the sentence: what Apple said, or where the mistake is.
    fileprivate var remark: String {
        let isSaid = apns?.reason == nil && violatedFields.first.map { message?.contains($0) ?? false } ?? false
        return isSaid ? "" : place
    }

    /// What Apple said, or where the mistake is.
    fileprivate var place: String {
        if let reason = apns?.reason { return " (Apple: \(Failure.fit(reason, 64)))" }
        return violatedFields.first.map { " (in \(Failure.fit($0, 64)))" } ?? ""
    }
}

extension Address {
    /// Whether FCM can report that the target does not exist any more.
    fileprivate var canDie: Bool {
        switch self {
        case .registration, .group: true
        case .topic, .condition: false
        }
    }
}

extension Verdict.Repeat {
    static let afterNothing = Self(effect: .none, floor: .milliseconds(250))
    /// After an idempotent call without an answer, or with an answer that cannot be read.
    static let afterLoss = Self(effect: .idempotent, floor: .seconds(1))
    static let afterNonsense = Self(effect: .idempotent, floor: .seconds(10))

    init(_ effect: Effect, _ response: Response, _ error: ErrorBody, floor: Duration) {
        let asked = response.retryAfter ?? error.retryDelaySeconds.map { String(Int($0.rounded(.up))) }
        self.init(effect: effect, retryAfter: asked, floor: floor)
        guard floor == Self.quotaFloor else { return }
        quota = error.quota ?? .project
        // Details of a device's or a topic's quota tell that one's limit.
        projectLimit = quota == .project ? error.quotaLimit : nil
    }

    /// The least wait after a 429 (docs/reference/fcm-errors.md#quotas-and-retries).
    static let quotaFloor = Duration.seconds(60)

    /// `nil` if an idempotent call must not be repeated after this answer.
    init?(afterRepeatable response: Response, _ error: ErrorBody) {
        self.init(afterRepeatable: response.status, response, error)
    }

    /// - Parameter status: the status to judge by, which may differ from the response's own.
    init?(afterRepeatable status: Int, _ response: Response, _ error: ErrorBody) {
        switch status {
        case 429: self.init(.refused, response, error, floor: Self.quotaFloor)
        case 503: self.init(.deferred, response, error, floor: .seconds(10))
        case 500, 502, 504...599: self.init(.idempotent, response, error, floor: .seconds(10))
        case 408: self.init(.idempotent, response, error, floor: .seconds(1))
        default: return nil
        }
    }
}

extension Failure {
    static func notSent(_ reason: String) -> Self { Failure(.notSent, message: reason) }
    static func lost(_ reason: String) -> Self { Failure(.connectionLost, message: reason) }
    static func refused(_ reason: String) -> Self { Failure(.notPossible, message: reason) }
    static func unreadable(_ reason: String) -> Self {
        Failure(.unreadableResponse, httpStatus: 200, message: reason)
    }

    func aboutMessage(_ isSo: Bool = true) -> Self {
        var copy = self
        copy.isAboutMessage = isSo
        return copy
    }

    init(_ response: Response, _ error: ErrorBody, isPersonal: Bool = false) {
        self.init(
            code: Self.code(response, error).map { Self.fit($0, 64) } ?? Self.name(ofStatus: response.status),
            httpStatus: response.status,
            message: error.message.map {
                isPersonal ? "FCM refused it" + error.place : Self.fit($0, 500) + error.remark
            }
                ?? "the answer is not FCM's: \(response.body.count) bytes, from a proxy or another address")
    }

    /// The code that says most. `nil` if the body has none.
    private static func code(_ response: Response, _ error: ErrorBody) -> String? {
        if let code = error.fcmCode { return code }
        return response.status == 403 ? error.misconfiguration?.rawValue ?? error.status : error.status
    }

    /// A server's text as it may be shown: registrations masked and the length limited.
    static func fit(_ text: String, _ limit: Int) -> String {
        let masked = Registration.masking(String(text.prefix(8192)))
        return masked.count > limit ? masked.prefix(limit) + "…" : masked
    }

    /// The code for an HTTP status whose body says nothing. It is the one that FCM's client libraries use.
    private static func name(ofStatus status: Int) -> String {
        let code: FailureCode
        switch status {
        case 400: code = .invalidArgument
        case 401: code = .unauthenticated
        case 403: code = .permissionDenied
        case 404: code = .notFound
        case 408, 504: code = .deadlineExceeded
        case 429: code = .resourceExhausted
        case 500: code = .internal
        case 503: code = .unavailable
        default: return "HTTP_\(status)"
        }
        return code.rawValue
    }
}
