import FCM

extension FaultReply {
    /// The answer in the form of the service that was called.
    func answer(for service: Service, to call: Call) -> Answer {
        var answer =
            isPage || (code == nil && status == 502)
            ? .frontEndPage(status: status)
            : body(for: service, call)
        if let retryAfter { answer.headers.append((name: "Retry-After", value: retryAfter)) }
        return answer
    }

    private func body(for service: Service, _ call: Call) -> Answer {
        switch service {
        case .send(let service):
            error(
                tellsFCMCodes: true, service.quotaSubjects,
                info: quota == .project ? .projectQuota(limit: quotaLimit) : nil
            ).answer
        case .topics(let service): error(tellsFCMCodes: false, service.quotaSubjects).answer
        case .app: googleError.answer
        case .instanceID, .groups: TextError(status: status, text: code ?? textOfStatus).answer
        case .oauth(let service): signInAnswer(of: service, to: call)
        }
    }

    /// - Parameter tellsFCMCodes: true for `messages:send`, whose errors carry FCM's codes. The topic API only gives a
    ///   status.
    private func error(
        tellsFCMCodes: Bool, _ subjects: (Quota) -> String, info: GoogleError.Detail? = nil
    ) -> GoogleError {
        var error = googleError
        error.httpStatus = status
        if !tellsFCMCodes {
            error.details.removeAll { detail in
                if case .fcm(let code) = detail { FailureCode(ofFCM: code) != nil } else { false }
            }
        }
        if let quota {
            if let info { error.details.append(info) }
            error.details.append(
                .quota(subject: subjects(quota), description: "Quota exceeded for this \(quota.rawValue)."))
        }
        return error
    }

    var googleError: GoogleError {
        if let flaw = code.flatMap(ConfigurationFlaw.init(rawValue:)) { return flaw.error }
        // FCM reports some dead Apple devices like this and not as UNREGISTERED.
        if status == 400, code == FailureCode.unregistered.rawValue { return GoogleError(AppleReason.unregistered) }
        if let reason = code.flatMap(AppleReason.init(rawValue:)) { return GoogleError(reason) }
        if let code = code.flatMap(FailureCode.init(ofFCM:)) { return GoogleError(code) }
        guard let code, Service.Name.send.speaks(code) else {
            switch status {
            case 400: return GoogleError(FailureCode.invalidArgument)
            case 429: return GoogleError(FailureCode.quotaExceeded)
            case 500: return GoogleError(FailureCode.internal)
            case 503: return GoogleError(FailureCode.unavailable)
            default: return .ofFrontEnd(GoogleError.Status(httpStatus: status))
            }
        }
        if let status = GoogleError.Status(rawValue: code) { return .ofFrontEnd(status) }
        // An unknown code is passed through.
        var error = GoogleError.ofFrontEnd(GoogleError.Status(httpStatus: status))
        error.details.append(.fcm(code: code))
        return error
    }

    /// How the older services word a status.
    private var textOfStatus: String {
        status == 401 ? TextError.unauthorized.text : GoogleError.Status(httpStatus: status).rawValue
    }
}

extension GoogleError.Detail {
    /// What FCM tells about the messages that a project may send in a minute.
    fileprivate static func projectQuota(limit: Int) -> GoogleError.Detail {
        .info(
            reason: "RATE_LIMIT_EXCEEDED",
            metadata: [
                "consumer": "projects/\(MetadataService.project.number)", "quota_limit": "SendsPerMinutePerProject",
                "quota_limit_value": "\(limit)", "quota_location": "global",
                "quota_metric": "fcm.googleapis.com/send_requests", "quota_unit": "1/min/{project}",
                "service": "fcm.googleapis.com",
            ])
    }
}

extension GoogleError {
    /// The HTTP status of a code in a script. `nil` if the code has no status of its own.
    static func status(ofFaultCode code: String) -> Int? {
        (FailureCode(ofFCM: code) ?? AppleReason(rawValue: code)?.fcmCode)?.httpStatus
            ?? Status(rawValue: code)?.httpStatus ?? ConfigurationFlaw(rawValue: code).map { _ in 403 }
    }

    /// - Parameter code: One of FCM's own.
    fileprivate init(_ code: FailureCode) {
        self =
            switch code {
            case .unregistered: .unregistered
            case .senderIDMismatch: .senderMismatch
            case .thirdPartyAuth: GoogleError(AppleReason.invalidProviderToken)
            case .unspecified:
                GoogleError(status: .unknown, message: "Unknown Error.", details: [.fcm(code)])
            default:
                GoogleError.ofFrontEnd(Status(httpStatus: code.httpStatus), details: [.fcm(code)])
            }
    }

    fileprivate init(_ reason: AppleReason) {
        let code = reason.fcmCode
        self = .ofFrontEnd(
            Status(httpStatus: code.httpStatus),
            details: [.fcm(code), .apns(statusCode: reason.statusCode, reason: reason.rawValue)])
        switch (code, reason.statusCode) {
        case (.thirdPartyAuth, _): message = "Auth error from APNS or Web Push Service"
        case (_, 410): message = "APNs device token is disabled."
        default: break
        }
    }

    /// The answer that all of Google's APIs give for a status.
    fileprivate static func ofFrontEnd(_ status: Status, details: [Detail] = []) -> GoogleError {
        if status == .unauthenticated, details.isEmpty { return .unauthenticated(.unknown) }
        let message =
            switch status {
            case .invalidArgument: "Request contains an invalid argument."
            case .unauthenticated: "Request had invalid authentication credentials."
            case .permissionDenied: "The caller does not have permission"
            case .notFound: "Requested entity was not found."
            case .alreadyExists: "Requested entity already exists"
            case .aborted: "The operation was aborted."
            case .failedPrecondition: "Precondition check failed."
            case .resourceExhausted: "Resource has been exhausted (e.g. check quota)."
            case .internal: "Internal error encountered."
            case .unimplemented: "Operation is not implemented, or supported, or enabled."
            case .unavailable: "The service is currently unavailable."
            case .deadlineExceeded: "Deadline expired before operation could complete."
            case .unknown: "Unknown Error."
            }
        return GoogleError(status: status, message: message, details: details)
    }
}

extension SendService {
    fileprivate func quotaSubjects(_ quota: FaultReply.Quota) -> String {
        quota == .project ? "project:\(project)" : quota.rawValue
    }
}

extension SubscriptionService {
    fileprivate func quotaSubjects(_ quota: FaultReply.Quota) -> String {
        quota == .project ? "project:\(project)" : quota.rawValue
    }
}

extension Answer {
    /// The page with which Google's front end answers instead of a service.
    fileprivate static func frontEndPage(status: Int) -> Answer {
        let (reason, sentence) =
            switch status {
            case 404: ("Not Found", "The requested URL was not found on this server.")
            case 403: ("Forbidden", "Your client does not have permission to get this URL from this server.")
            case 429: ("Too Many Requests", "We're sorry, but you have sent too many requests to us recently.")
            case ..<500: ("Bad Request", "Your client has issued a malformed or illegal request.")
            default:
                (
                    "Server Error",
                    "The server encountered a temporary error and could not complete your request."
                        + "<p>Please try again in 30 seconds."
                )
            }
        let page = """
            <!DOCTYPE html>
            <html lang=en>
            <meta charset=utf-8>
            <title>Error \(status) (\(reason))!!1</title>
            <p><b>\(status).</b> <ins>That’s an error.</ins>
            <p>\(sentence) <ins>That’s all we know.</ins>

            """
        return Answer(status: status, contentType: "text/html; charset=UTF-8", body: [Array(page.utf8)])
    }
}
