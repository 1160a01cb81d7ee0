internal import FCM

/// Where a workload gets the token that it exchanges at Google: a file or an address.
struct SubjectSource: Sendable {
    /// Real ones have a few kilobytes.
    static let longestToken = 1 << 16

    private enum Place: Sendable {
        case file(path: String)
        case url(TokenURL, headers: [(name: String, value: Secret)])
    }

    private let place: Place
    /// The member of a JSON object that has the token. `nil` if the token is the whole text.
    private let member: String?

    init(_ fields: CredentialFields) throws(CredentialFileError) {
        if fields.has("environment_id") { throw .unsupportedSource(kind: "AWS") }
        for kind in ["executable", "certificate"] where fields.has(kind) { throw .unsupportedSource(kind: kind) }
        guard fields.has("file") != fields.has("url") else { throw .noSource }
        let format = try fields.fields("format")
        switch try format?.optionalText("type") {
        case nil, "text": member = nil
        case "json": member = try format?.text("subject_token_field_name")
        default: throw .unknownFormat
        }
        place =
            fields.has("file")
            ? .file(path: try fields.text("file"))
            : .url(try fields.sourceURL("url"), headers: try fields.headers("headers"))
    }

    /// The address that is called, if one is.
    var url: TokenURL? { if case .url(let url, _) = place { url } else { nil } }

    /// Whether what names the source is a secret itself.
    var isSecret: Bool { if case .url(_, let headers) = place { !headers.isEmpty } else { false } }

    var leg: any TokenLeg { Leg(source: self) }

    private struct Leg: TokenLeg {
        let source: SubjectSource

        func step(with _: Secret, at _: Double) -> TokenStep {
            switch source.place {
            case .file(let path): .read(path: path)
            case .url(let url, let headers):
                .call(
                    TokenCall(
                        service: .subject, method: "GET", url: url, headers: headers, secrets: headers.map(\.value)))
            }
        }

        func find(in answer: TokenAnswer, at _: Double) throws(TokenError) -> TokenFinding {
            switch answer {
            case .bytes(let bytes): return .text(try source.token(in: bytes))
            case .response(let response):
                guard response.status == 200 else { throw TokenError(response, from: .subject) }
                return .text(try source.token(in: response.body))
            case .signed: throw .unusableCredential
            }
        }
    }

    private func token(in bytes: [UInt8]) throws(TokenError) -> Secret {
        let text: String?
        if let member {
            text = (try? JSONValue(parsing: bytes))?[member]?.string
        } else {
            // A token never ends with a line break, but a file that a person or a shell wrote does.
            text = String(validating: bytes, as: UTF8.self)?.trimmed
        }
        guard let text, !text.isEmpty, text.utf8.count <= Self.longestToken else { throw .noSubjectToken }
        return Secret(text)
    }
}

extension String {
    fileprivate var trimmed: String {
        let begin = drop(while: \.isWhitespace)
        return begin.lastIndex { !$0.isWhitespace }.map { String(begin[...$0]) } ?? ""
    }
}
