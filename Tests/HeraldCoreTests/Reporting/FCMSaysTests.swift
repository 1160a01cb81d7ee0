import FCM
import HeraldCore
import Testing

/// FCM's answers as its reference and observations have them, row by row: what each means for one registration, under
/// which code a report names it, and that `explain` has a sentence for it.
struct FCMSaysTests {
    enum Meaning: Sendable {
        case dead, rejected, again, unknown, unauthenticated, stop
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let body: String
        let means: Meaning
        let code: String
        /// A part of the sentence that a report shows.
        var says = ""
        /// A part of what `explain` tells a person to do.
        var remedy: String?

        init(
            _ name: String, _ status: Int, _ body: String, _ means: Meaning, _ code: String, says: String = "",
            remedy: String? = nil
        ) {
            (testDescription, self.status, self.body, self.means) = (name, status, body, means)
            (self.code, self.says, self.remedy) = (code, says, remedy)
        }
    }

    private static let fcmError = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let apnsError = "type.googleapis.com/google.firebase.fcm.v1.ApnsError"
    private static let errorInfo = "type.googleapis.com/google.rpc.ErrorInfo"

    private static func error(_ status: String, _ message: String = "m", _ details: String...) -> String {
        """
        {"error":{"code":1,"message":"\(message)","status":"\(status)","details":[\(details.joined(separator: ","))]}}
        """
    }

    private static func fcm(_ code: String) -> String { #"{"@type":"\#(fcmError)","errorCode":"\#(code)"}"# }

    private static func apple(_ status: Int, _ reason: String) -> String {
        #"{"@type":"\#(apnsError)","statusCode":\#(status),"reason":"\#(reason)"}"#
    }

    private static func info(_ reason: String, _ metadata: String = "{}") -> String {
        #"{"@type":"\#(errorInfo)","reason":"\#(reason)","domain":"googleapis.com","metadata":\#(metadata)}"#
    }

    private static func violation(_ field: String) -> String {
        """
        {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\(field)","description":"d"}]}
        """
    }

    private static let codes: [Row] = [
        Row(
            "UNREGISTERED", 404, error("NOT_FOUND", "Requested entity was not found.", fcm("UNREGISTERED")), .dead,
            "UNREGISTERED"),
        Row(
            "UNREGISTERED, the other sentence", 404, error("NOT_FOUND", "NotRegistered", fcm("UNREGISTERED")), .dead,
            "UNREGISTERED"),
        Row(
            "INVALID_ARGUMENT", 400, error("INVALID_ARGUMENT", "Invalid package", fcm("INVALID_ARGUMENT")), .rejected,
            "INVALID_ARGUMENT", says: "Invalid package", remedy: "Read the message"),
        Row(
            "SENDER_ID_MISMATCH", 403, error("PERMISSION_DENIED", "SenderId mismatch", fcm("SENDER_ID_MISMATCH")),
            .rejected, "SENDER_ID_MISMATCH", remedy: "the app is built for"),
        Row(
            "QUOTA_EXCEEDED", 429, error("RESOURCE_EXHAUSTED", "m", fcm("QUOTA_EXCEEDED")), .again, "QUOTA_EXCEEDED",
            remedy: "Lower `fcm.rate`"),
        Row("UNAVAILABLE", 503, error("UNAVAILABLE", "m", fcm("UNAVAILABLE")), .again, "UNAVAILABLE"),
        Row("INTERNAL", 500, error("INTERNAL", "m", fcm("INTERNAL")), .again, "INTERNAL"),
        Row("UNSPECIFIED_ERROR", 500, error("UNKNOWN", "m", fcm("UNSPECIFIED_ERROR")), .again, "UNSPECIFIED_ERROR"),
        Row(
            "UNSPECIFIED_ERROR with 400", 400, error("INVALID_ARGUMENT", "m", fcm("UNSPECIFIED_ERROR")), .again,
            "UNSPECIFIED_ERROR"),
        Row(
            "THIRD_PARTY_AUTH_ERROR", 401,
            error(
                "UNAUTHENTICATED", "Auth error from APNS or Web Push Service", fcm("THIRD_PARTY_AUTH_ERROR"),
                apple(403, "InvalidProviderToken")),
            .rejected, "THIRD_PARTY_AUTH_ERROR", says: "(Apple: InvalidProviderToken)", remedy: "Firebase console"),
        Row(
            "APNS_AUTH_ERROR", 401, error("UNAUTHENTICATED", "m", fcm("APNS_AUTH_ERROR")), .rejected,
            "APNS_AUTH_ERROR", remedy: "Firebase console"),
    ]

    private static let ambiguous: [Row] = [
        Row(
            "400, a field of the message", 400,
            error("INVALID_ARGUMENT", "Invalid value", violation("message.data[0].value")), .stop, "INVALID_ARGUMENT",
            says: "(in message.data[0].value)"),
        Row(
            "400, the token itself", 400, error("INVALID_ARGUMENT", "Invalid", violation("message.token")), .dead,
            "INVALID_ARGUMENT"),
        Row(
            "400, no token at all", 400,
            error(
                "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token",
                fcm("INVALID_ARGUMENT")),
            .dead, "INVALID_ARGUMENT"),
        Row(
            "400, too large", 400,
            error("INVALID_ARGUMENT", "Message is too large. The maximum is 4K.", fcm("INVALID_ARGUMENT")), .stop,
            "INVALID_ARGUMENT", says: "too large"),
        Row(
            "400, a dead Apple device", 400,
            error(
                "INVALID_ARGUMENT", "APNs device token is disabled.", fcm("INVALID_ARGUMENT"),
                apple(410, "Unregistered")),
            .dead, "INVALID_ARGUMENT", says: "(Apple: Unregistered)"),
        Row(
            "401, our token", 401, error("UNAUTHENTICATED", "Request had invalid authentication credentials."),
            .unauthenticated, "UNAUTHENTICATED", remedy: "sign in again"),
        Row(
            "403, IAM", 403,
            error(
                "PERMISSION_DENIED",
                "Permission 'cloudmessaging.messages.create' denied on resource '//x' (or it may not exist).",
                info("IAM_PERMISSION_DENIED", #"{"permission":"cloudmessaging.messages.create"}"#)),
            .stop, "IAM_PERMISSION_DENIED", says: "cloudmessaging.messages.create",
            remedy: "cloudmessaging.messages.create"),
        Row(
            "403, IAM, the sentence alone", 403,
            error("PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied on resource '//x'"), .stop,
            "IAM_PERMISSION_DENIED"),
        Row(
            "403, the API is off", 403,
            error(
                "PERMISSION_DENIED", "Firebase Cloud Messaging API has not been used in project 1 before",
                info("SERVICE_DISABLED", #"{"service":"fcm.googleapis.com","consumer":"projects/1"}"#)),
            .stop, "SERVICE_DISABLED", remedy: "Enable the Firebase Cloud Messaging API"),
        Row(
            "403, no quota project", 403,
            error(
                "PERMISSION_DENIED",
                "The fcm.googleapis.com API requires a quota project, which is not set by default.",
                info("SERVICE_DISABLED", #"{"consumer":"projects/764086051850"}"#)),
            .stop, "QUOTA_PROJECT_MISSING", remedy: "GOOGLE_CLOUD_QUOTA_PROJECT"),
        Row(
            "403, a quota project that may not be used", 403,
            error("PERMISSION_DENIED", "Caller does not have permission to use project p", info("USER_PROJECT_DENIED")),
            .stop, "USER_PROJECT_DENIED", remedy: "serviceUsageConsumer"),
        Row(
            "403, nothing more", 403, error("PERMISSION_DENIED", "The caller does not have permission"), .stop,
            "PERMISSION_DENIED", remedy: "cloudmessaging.messages.create"),
        Row(
            "404, another project", 404, error("NOT_FOUND", "Requested entity was not found."), .stop, "NOT_FOUND",
            remedy: "`project` in herald.yaml"),
        Row(
            "404, a page", 404, "<html>Not Found</html>", .stop, "NOT_FOUND", says: "a proxy or another address",
            remedy: "fcm.endpoint"),
        Row("429, a page", 429, "<html>", .again, "RESOURCE_EXHAUSTED", remedy: "Lower `fcm.rate`"),
        Row(
            "429, only ErrorInfo", 429, error("RESOURCE_EXHAUSTED", "Quota exceeded", info("RATE_LIMIT_EXCEEDED")),
            .again, "RESOURCE_EXHAUSTED"),
        Row("500, a page", 500, "<html>", .unknown, "INTERNAL"),
        Row("502, a page", 502, "<html>", .unknown, "HTTP_502", remedy: "proxies"),
        Row("503, a page", 503, "<html>", .unknown, "UNAVAILABLE"),
        Row("504", 504, "", .unknown, "DEADLINE_EXCEEDED", remedy: "network"),
    ]

    @Test(arguments: codes + ambiguous)
    func `an answer is judged by its details, and explained`(_ row: Row) throws {
        let fid = try #require(Registration("cTEST-_890123456789AbZ"))
        let exchange = Exchange.response(Response(status: row.status, body: Array(row.body.utf8)))
        let (meaning, failure) = try #require(Self.read(Verdict(send: exchange, to: .registration(fid))))
        #expect(meaning == row.means)
        #expect(failure.code == row.code)
        #expect(failure.message.contains(row.says) || row.says.isEmpty, "\(failure.message)")
        let explanation = try #require(CodeExplanation(failure.code))
        #expect(explanation.meaning.hasSuffix("."))
        #expect(explanation.consequence.hasSuffix("."))
        if let remedy = row.remedy { #expect(explanation.remedy?.contains(remedy) == true) }
    }

    /// Apple's page *Handling notification responses from APNs*, sorted by what a sender can do.
    private static let device = ["BadDeviceToken", "DeviceTokenNotForTopic"]
    private static let gone = ["Unregistered", "ExpiredToken"]
    private static let credentials = [
        "ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken", "BadCertificate",
        "BadCertificateEnvironment", "BadEnvironmentKeyInToken", "UnrelatedKeyIdInToken", "Forbidden",
        "TopicDisallowed",
    ]
    private static let message = [
        "BadCollapseId", "BadExpirationDate", "BadPriority", "BadTopic", "InvalidPushType", "PayloadEmpty",
        "PayloadTooLarge", "DuplicateHeaders", "MissingTopic",
    ]
    private static let passing = [
        "TooManyRequests", "TooManyProviderTokenUpdates", "InternalServerError", "ServiceUnavailable", "Shutdown",
        "IdleTimeout",
    ]

    private static let reasons =
        (device + credentials + message).map { ($0, 400, Meaning.rejected) } + gone.map { ($0, 410, .dead) }
        + passing.map { ($0, 503, .again) } + [("NotKnownYet", 400, .rejected)]

    @Test(arguments: reasons)
    func `what Apple says decides about one Apple device`(_ reason: String, _ status: Int, _ means: Meaning) throws {
        let body = Self.error("INVALID_ARGUMENT", "m", Self.fcm("INVALID_ARGUMENT"), Self.apple(status, reason))
        let fid = try #require(Registration("cTEST-_890123456789AbZ"))
        let exchange = Exchange.response(Response(status: 400, body: Array(body.utf8)))
        let (meaning, failure) = try #require(Self.read(Verdict(send: exchange, to: .registration(fid))))
        #expect(meaning == means)
        #expect(failure.message == "m (Apple: \(reason))")
        #expect((CodeExplanation(reason) != nil) == (reason != "NotKnownYet"))
    }

    /// A request to many has no single device that Apple could speak of.
    @Test func `what Apple says of a send to many stops it`() throws {
        let body = Self.error("INVALID_ARGUMENT", "m", Self.fcm("INVALID_ARGUMENT"), Self.apple(503, "Shutdown"))
        let exchange = Exchange.response(Response(status: 400, body: Array(body.utf8)))
        let topic = try #require(TopicName(rawValue: "t"))
        #expect(try #require(Self.read(Verdict(send: exchange, to: .topic(topic)))).0 == .stop)
    }

    /// google/rpc/error_details.proto and what was observed of FCM's project quota.
    @Test(arguments: [
        (#""quota_limit_value":"600000","quota_unit":"1/min/{project}""#, 600_000),
        (#""quota_limit_value":"750000""#, 750_000), (#""quota_limit_value":1200"#, 1200),
        (#""quota_limit_value":"600000","quota_unit":"1/d/{project}""#, nil), (#""quota_limit_value":"0""#, nil),
        (#""quota_limit_value":"-1""#, nil), (#""quota_limit_value":"99999999999999999999""#, nil),
        (#""quota_limit_value":"1000000001""#, nil), (#""quota_limit_value":"1e9""#, nil),
        (#""quota_limit_value":[600000]"#, nil), ("", nil),
    ])
    func `a 429 tells the project's quota`(_ metadata: String, _ limit: Int?) throws {
        let body = Self.error("RESOURCE_EXHAUSTED", "m", Self.info("RATE_LIMIT_EXCEEDED", "{\(metadata)}"))
        let exchange = Exchange.response(Response(status: 429, body: Array(body.utf8)))
        let topic = try #require(TopicName(rawValue: "t"))
        guard case .again(_, let terms) = Verdict(send: exchange, to: .topic(topic)) else {
            Issue.record("a 429 asks for another try")
            return
        }
        #expect(terms.projectLimit == limit)
    }

    @Test func `every name has a sentence, and nothing else has`() {
        for name in CodeExplanation.names {
            let explanation = CodeExplanation(name)
            #expect(explanation?.name == name)
            #expect(explanation?.meaning.isEmpty == false)
        }
        for name in ["", "HTTP_", "HTTP_99", "HTTP_1e3", "NO_SUCH", "HTTP_200"] {
            #expect(CodeExplanation(name) == nil, "\(name)")
        }
    }

    private static func read(_ verdict: Verdict) -> (Meaning, Failure)? {
        switch verdict {
        case .accepted, .preexisting, .unavailable: nil
        case .dead(let failure): (.dead, failure)
        case .rejected(let failure): (.rejected, failure)
        case .again(let failure, _): (.again, failure)
        case .unknown(let failure): (.unknown, failure)
        case .unauthenticated(let failure): (.unauthenticated, failure)
        case .stop(let failure): (.stop, failure)
        }
    }
}
