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
    private var legs: ArraySlice<any TokenLeg>

    init(_ legs: [any TokenLeg]) { self.legs = legs[...] }

    mutating func begin(at now: Double) throws(TokenError) -> TokenStep { try next(with: Secret(""), at: now) }

    mutating func take(_ answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenStep {
        guard let leg = legs.popFirst() else { throw .unusableCredential }
        switch try leg.find(in: answer, at: now) {
        case .grant(let grant) where legs.isEmpty: return .done(grant)
        case .grant(let grant): return try next(with: Secret(grant.token.rawValue), at: now)
        case .text(let text): return try next(with: text, at: now)
        }
    }

    private func next(with input: Secret, at now: Double) throws(TokenError) -> TokenStep {
        guard let leg = legs.first else { throw .unusableCredential }
        return leg.step(with: input, at: now)
    }
}

extension TokenAnswer {
    var response: Response? { if case .response(let response) = self { response } else { nil } }
}
