/// What an exchange means for the one it was for, decided once, here. Inside herald nobody looks at a status again.
package enum Verdict: Hashable, Sendable {
    /// FCM took it. A message's id is the last part of its name; memberships have none.
    case accepted(messageID: String?)
    /// A subscription that was there before.
    case preexisting
    /// The registration is dead: no request to it will ever succeed.
    case dead(Failure)
    /// Refused, for this registration or this message; another may succeed.
    case rejected(Failure)
    /// It did not take effect, as far as FCM says; worth another try.
    case again(Failure, Repeat)
    /// It may have taken effect, and nobody can tell.
    case unknown(Failure)
    /// The access token was refused: nothing took effect, and the request may go again, once, with a new one.
    case unauthenticated(Failure)
    /// This project has no such API: what is wanted must be asked for by another one.
    case unavailable(Failure)
    /// Every request of its kind would fail alike: a setting, a permission or the message itself is wrong.
    case stop(Failure)

    /// What another try must respect.
    package struct Repeat: Hashable, Sendable {
        package enum Effect: Hashable, Sendable {
            /// Nothing of the request was looked at.
            case none
            /// FCM said no with a complete answer; should it have delivered all the same, a repeat is a second push.
            case deferred
            /// It may have had its effect, and having it twice does no harm.
            case idempotent
        }
        package var effect: Effect
        /// `Retry-After` as it came, else `RetryInfo` in seconds.
        package var retryAfter: String?
        /// FCM asks for no second try of a refused request before this.
        package var floor: Duration
        /// Whose rate was exceeded, after a 429; the project's where FCM does not say.
        package var quota: ErrorBody.Quota?
    }
}

/// Why an exchange was not accepted, in FCM's words.
package struct Failure: Error, Hashable, Sendable {
    /// FCM's code where it gave one, else the gRPC status, else a name for the HTTP status or for what happened to
    /// the connection.
    package var code: String
    package var httpStatus: Int?
    /// FCM's sentence, for people; it never holds a registration.
    package var message: String

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
    /// Judges the answer to a `messages:send`. Sources: FCM's ErrorCode reference and its error page.
    ///
    /// - Parameter differsByRecipient: Whether other recipients get another message than this one.
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
            let failure = Failure(response, error)
            switch response.status {
            case 400: self = .badRequest(error, failure, address, differsByRecipient)
            case 401: self = error.isThirdParty ? .rejected(failure) : .unauthenticated(failure)
            case 403:
                self = error.fcmCode == FailureCode.senderIDMismatch.rawValue ? .rejected(failure) : .stop(failure)
            case 404:
                self =
                    error.fcmCode == FailureCode.unregistered.rawValue && address.canDie
                    ? .dead(failure) : .stop(failure)
            case 429: self = .again(failure, Repeat(.deferred, response, error, floor: Repeat.quotaFloor))
            case 503: self = .again(failure, Repeat(.deferred, response, error, floor: .seconds(10)))
            case 500:
                self =
                    address.fansOut
                    ? .unknown(failure)
                    : .again(failure, Repeat(.deferred, response, error, floor: .seconds(10)))
            case 300..<500 where response.status != 408: self = .stop(failure)
            default: self = .unknown(failure)
            }
        }
    }

    /// Judges the answer to a topic subscription call: subscribing again, or unsubscribing again, does no harm.
    package init(membership exchange: Exchange) {
        switch exchange {
        case .notSent(let reason): self = .notSent(reason)
        case .refused(let reason): self = .stop(.refused(reason))
        case .lost(let reason): self = .again(.lost(reason), .afterLoss)
        case .response(let response):
            if response.status == 200 {
                // A proxy's page or half an answer is no subscription; to ask again does no harm.
                self =
                    (try? JSONValue(parsing: response.body))?.object != nil
                    ? .accepted(messageID: nil)
                    : .again(.unreadable("the answer is no JSON object"), .afterNonsense)
                return
            }
            let error = ErrorBody(response.body)
            let failure = Failure(response, error)
            switch response.status {
            case 409: self = .preexisting
            case 404 where error.isJSON && (error.fcmCode ?? error.status) != nil: self = .dead(failure)
            case 404 where !error.isJSON, 501: self = .unavailable(failure)
            case 400: self = .rejected(failure)
            case 401: self = error.isThirdParty ? .rejected(failure) : .unauthenticated(failure)
            case 403 where error.fcmCode == FailureCode.senderIDMismatch.rawValue: self = .rejected(failure)
            case 403 where error.reason == "SERVICE_DISABLED": self = .unavailable(failure)
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
        if error.apns != nil { return address.fansOut ? .stop(failure) : .rejected(failure) }
        if !error.violatedFields.isEmpty {
            let isAboutTarget = error.violatedFields.allSatisfy { $0 == "message.token" || $0 == "message.fid" }
            return isAboutTarget ? .dead(failure) : .faultOfMessage(failure, address, differsByRecipient)
        }
        // FCM has no code that tells a bad token from a bad message: only these sentences do.
        let message = error.message ?? ""
        if message.contains("not a valid FCM registration token") { return .dead(failure) }
        if address.fansOut { return .stop(failure) }
        if message.hasPrefix("APNs device token is disabled") { return .dead(failure) }
        if message.contains("too large") || message.contains("too big") {
            return .faultOfMessage(failure, address, differsByRecipient)
        }
        return error.fcmCode == nil ? .stop(failure) : .rejected(failure)
    }

    /// Where everybody gets the same message, everybody's would be refused. Where recipients get different ones, the
    /// next may be right.
    private static func faultOfMessage(
        _ failure: Failure, _ address: Address, _ differsByRecipient: Bool
    ) -> Verdict {
        differsByRecipient && !address.fansOut ? .rejected(failure) : .stop(failure)
    }
}

extension Address {
    /// Whether FCM can say that it names nobody any more.
    fileprivate var canDie: Bool {
        switch self {
        case .registration, .group: true
        case .topic, .condition: false
        }
    }
}

extension Verdict.Repeat {
    static let afterNothing = Self(effect: .none, floor: .milliseconds(250))
    /// After an idempotent call whose answer never came, or makes no sense.
    static let afterLoss = Self(effect: .idempotent, floor: .seconds(1))
    static let afterNonsense = Self(effect: .idempotent, floor: .seconds(10))

    init(_ effect: Effect, _ response: Response, _ error: ErrorBody, floor: Duration) {
        let asked = response.retryAfter ?? error.retryDelaySeconds.map { String(Int($0.rounded(.up))) }
        self.init(effect: effect, retryAfter: asked, floor: floor)
        if floor == Self.quotaFloor { quota = error.quota ?? .project }
    }

    /// No second try sooner after a 429 (FCM's page on scaling).
    static let quotaFloor = Duration.seconds(60)

    /// `nil` when an idempotent call that was answered like this should not be made again.
    init?(afterRepeatable response: Response, _ error: ErrorBody) {
        self.init(afterRepeatable: response.status, response, error)
    }

    /// - Parameter status: What the answer means, where it says something else than its HTTP status.
    init?(afterRepeatable status: Int, _ response: Response, _ error: ErrorBody) {
        switch status {
        case 429: self.init(.deferred, response, error, floor: Self.quotaFloor)
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

    init(_ response: Response, _ error: ErrorBody) {
        self.init(
            code: (error.fcmCode ?? error.status).map { Self.fit($0, 64) } ?? Self.name(ofStatus: response.status),
            httpStatus: response.status,
            message: error.message.map { Self.fit($0, 500) }
                ?? "the answer is not FCM's: \(response.body.count) bytes")
    }

    /// A server's words as they may be shown: no registration, no more than anybody reads.
    static func fit(_ text: String, _ limit: Int) -> String {
        let masked = Registration.masking(String(text.prefix(8192)))
        return masked.count > limit ? masked.prefix(limit) + "…" : masked
    }

    /// The code that FCM's client libraries give an HTTP status whose body says nothing.
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
