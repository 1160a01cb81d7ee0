/// The error in a response's body, in Google's RPC form or as the plain string of the Instance ID service.
///
/// Bodies may be HTML or cut off. What cannot be read is `nil`; reading never throws.
package struct ErrorBody: Hashable, Sendable {
    /// Whether the body was JSON. Proxies and wrong paths answer in HTML.
    package var isJSON = false
    /// Whether the body has the form of Google's own errors. Other servers on the way answer in other forms.
    package var isGoogles = false
    /// `FcmError.errorCode`: FCM's own code, e.g. `UNREGISTERED`.
    package var fcmCode: String?
    /// `error.status`: the gRPC status, e.g. `NOT_FOUND`.
    package var status: String?
    package var message: String?
    /// `BadRequest.fieldViolations[].field`, e.g. `message.data[0].value`.
    package var violatedFields: [String] = []
    /// `ApnsError`: what Apple answered to FCM.
    package var apns: APNs?
    /// `ErrorInfo.reason`, e.g. `SERVICE_DISABLED`.
    package var reason: String?
    /// Whose quota was exceeded, by `QuotaFailure`.
    package var quota: Quota?
    /// The messages that the project may send in a minute, by `ErrorInfo.metadata`.
    package var quotaLimit: Int?
    /// `RetryInfo.retryDelay` in seconds.
    package var retryDelaySeconds: Double?

    /// Whether the error is about the credentials that FCM holds for Apple or for a browser's push service.
    package var isThirdParty: Bool { [FailureCode.thirdPartyAuth.rawValue, "APNS_AUTH_ERROR"].contains(fcmCode) }

    /// What is wrong with the project or the account. `nil` if the details do not say it.
    package var misconfiguration: FailureCode? {
        let text = message?.lowercased() ?? ""
        if text.contains("quota project") || text.contains("quota_project") {
            return reason == FailureCode.userProjectDenied.rawValue ? .userProjectDenied : .quotaProjectMissing
        }
        if let code = reason.flatMap(FailureCode.init(rawValue:)), Self.misconfigurations.contains(code) { return code }
        // Without details, only Google's sentence tells it.
        return text.hasPrefix("permission '") && text.contains("' denied on resource") ? .permissionMissing : nil
    }

    private static let misconfigurations: Set<FailureCode> = [.apiDisabled, .permissionMissing, .userProjectDenied]

    /// Whose quota FCM counted. FCM's pages name these three. They do not document the form of a violation's subject,
    /// so a word in that text decides.
    package enum Quota: String, Hashable, Sendable, CaseIterable {
        case device, topic, project
    }

    package struct APNs: Hashable, Sendable {
        package var statusCode: Int?
        package var reason: String?
    }

    package init(_ body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body) else { return }
        isJSON = true
        guard let error = json["error"] else { return }
        if let text = error.string {
            status = text
            message = text
            return
        }
        status = error["status"]?.string
        isGoogles = status != nil
        message = error["message"]?.string
        for detail in error["details"]?.array ?? [] {
            read(detail)
        }
    }

    private mutating func read(_ detail: JSONValue) {
        switch detail["@type"]?.string?.split(separator: ".").last {
        case "FcmError":
            fcmCode = detail["errorCode"]?.string ?? fcmCode
        case "BadRequest":
            let violations = detail["fieldViolations"] ?? detail["field_violations"]
            violatedFields += (violations?.array ?? []).compactMap { $0["field"]?.string }
        case "ApnsError":
            apns = APNs(statusCode: detail["statusCode"]?.int.map(Int.init), reason: detail["reason"]?.string)
        case "ErrorInfo":
            reason = detail["reason"]?.string
            quotaLimit = Self.limit(in: detail["metadata"]) ?? quotaLimit
        case "QuotaFailure":
            let subjects = (detail["violations"]?.array ?? []).compactMap { $0["subject"]?.string?.lowercased() }
            quota = Quota.allCases.first { quota in subjects.contains { $0.hasPrefix(quota.rawValue) } } ?? quota
        case "RetryInfo":
            retryDelaySeconds = (detail["retryDelay"] ?? detail["retry_delay"])?.string.flatMap(Self.seconds)
        default:
            break
        }
    }

    /// Reads `quota_limit_value`. A unit other than messages a minute, and a number that no project has, is no limit.
    private static func limit(in metadata: JSONValue?) -> Int? {
        guard let value = metadata?["quota_limit_value"], metadata?["quota_unit"]?.string?.hasPrefix("1/min") ?? true,
            let limit = value.int.flatMap({ Int(exactly: $0) }) ?? value.string.flatMap({ Int($0) }),
            possibleLimits.contains(limit)
        else { return nil }
        return limit
    }

    /// Google's default is 600,000, and it is raised by a quarter at a time.
    package static let possibleLimits = 1...1_000_000_000

    /// Reads a protobuf duration such as `3.5s`. It takes at most 10,000 years, and no negative ones.
    private static func seconds(_ text: String) -> Double? {
        let digits = text.dropLast()
        guard text.last == "s", digits.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }),
            let seconds = Double(digits), seconds <= 315_576_000_000
        else { return nil }
        return seconds
    }
}
