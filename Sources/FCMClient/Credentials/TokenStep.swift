internal import FCM

/// What to do next for an access token.
enum TokenStep: Sendable {
    /// Read a file that holds a subject token.
    case read(path: String)
    case sign(Assertion)
    case call(TokenCall)
    case done(TokenGrant)
}

/// What came of a step.
enum TokenAnswer: Sendable {
    case bytes([UInt8])
    case signed(String)
    case response(Response)
}

/// One request on the way to an access token.
struct TokenCall: Sendable {
    var service: TokenService
    var method = "POST"
    var url: TokenURL
    var headers: [(name: String, value: Secret)] = []
    var body = Secret("")
    /// What the answer must not be shown with, in case the server repeats it.
    var secrets: [Secret] = []
    /// `nil`: the time that an exchange with FCM may take.
    var timeout: Duration?
    /// How often the request is made if nobody answers.
    var tries = 1
    /// What it means if nobody answers. `nil`: a later try may succeed.
    var absence: TokenError?

    /// A form (`application/x-www-form-urlencoded`).
    static func form(
        _ fields: [(name: String, value: String)], to url: TokenURL, _ service: TokenService, hiding secrets: [Secret]
    ) -> TokenCall {
        let text = fields.map { "\($0.name.percentEncodedSegment)=\($0.value.percentEncodedSegment)" }
        return TokenCall(
            service: service, url: url, headers: [("content-type", Secret("application/x-www-form-urlencoded"))],
            body: Secret(text.joined(separator: "&")), secrets: secrets)
    }
}

/// Who is asked, in the words of messages.
package enum TokenService: String, Hashable, Sendable {
    case token = "the token endpoint"
    case exchange = "the Security Token Service"
    case impersonation = "the impersonation endpoint"
    case subject = "the source of the subject token"
    case metadata = "the metadata server"

    /// What names its address.
    var setting: String {
        switch self {
        case .token: "token_uri in the key file"
        case .exchange: "token_url in the credential file"
        case .impersonation: "service_account_impersonation_url in the credential file"
        case .subject: "credential_source in the credential file"
        case .metadata: "GCE_METADATA_HOST"
        }
    }
}

/// A part of the way to an access token: a step, and what its answer means.
protocol TokenLeg: Sendable {
    /// - Parameters:
    ///   - input: The text that the leg before this one found.
    ///   - now: In seconds since 1970.
    func step(with input: Secret, at now: Double) -> TokenStep
    func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding
}

/// What a leg found.
enum TokenFinding: Sendable {
    /// For the next leg.
    case text(Secret)
    case grant(TokenGrant)
}

/// The way from a credential to an access token, without any I/O: it says what to do, and takes what came of it.
struct TokenDialog: Sendable {
    /// How long a leg may be repeated with what the leg before it found, in seconds. An identity that a job was given
    /// lasts for minutes.
    static let patience = 60.0

    private var legs: ArraySlice<any TokenLeg>
    /// What the last leg found, for the next one.
    private var input = Secret("")
    /// When that was found, and until when it is good. `nil` before the first leg.
    private var validity: Range<Double>?

    init(_ legs: [any TokenLeg]) { self.legs = legs[...] }

    /// What to do next. After a failure it is the step that failed.
    func step(at now: Double) throws(TokenError) -> TokenStep {
        guard let leg = legs.first else { throw .unusableCredential }
        return leg.step(with: input, at: now)
    }

    mutating func take(_ answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenStep {
        guard let leg = legs.first else { throw .unusableCredential }
        let finding = try leg.find(in: answer, at: now)
        legs.removeFirst()
        var end = now + Self.patience
        switch finding {
        case .grant(let grant) where legs.isEmpty: return .done(grant)
        case .grant(let grant):
            input = Secret(grant.token.rawValue)
            end = min(end, now + grant.lifetime / .seconds(1))
        case .text(let text): input = text
        }
        validity = now..<end
        return try step(at: now)
    }

    /// Whether the next leg may be tried with what the last one found, so that the legs before need not be repeated.
    func canGoOn(at now: Double) -> Bool { validity?.contains(now) ?? false }
}

extension TokenAnswer {
    var response: Response? { if case .response(let response) = self { response } else { nil } }
}
