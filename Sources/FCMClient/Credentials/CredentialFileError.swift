/// Why herald cannot use a credential file. It holds field names from the file, and no other content.
package enum CredentialFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON
    case missing(String)
    case notText(String)
    case notAProject(String)
    case notANumber(String)
    case notTexts(String)
    case notAnObject(String)
    case notHeaders(String)
    case unknownType
    /// A kind of Google's that herald does not read.
    case unsupported(kind: String)
    /// The source of an impersonation is one, too.
    case nestedImpersonation
    /// A source of subject tokens that herald does not read.
    case unsupportedSource(kind: String)
    case noSource
    case unknownFormat
    case lifetime(String)
    case otherUniverse
    case privateKey
    case url(String)
    case sourceURL(String)
    case host(String)
    case metadataHost(variable: String)

    package var description: String {
        switch self {
        case .notJSON: "the file is not a JSON object"
        case .missing(let name): "'\(name)' is missing"
        case .notText(let name): "'\(name)' is not a string"
        case .notAProject(let name): "'\(name)' is not a project id"
        case .notANumber(let name): "'\(name)' is not a whole number"
        case .notTexts(let name): "'\(name)' is not a list of strings"
        case .notAnObject(let name): "'\(name)' is not an object"
        case .notHeaders(let name): "'\(name)' is not an object of HTTP headers"
        case .unknownType: "'type' is none of Google's"
        case .unsupported(let kind): "credentials of type '\(kind)' are not supported"
        case .nestedImpersonation:
            "'source_credentials' is itself of type 'impersonated_service_account', which is not supported"
        case .unsupportedSource(let kind):
            "credentials of type 'external_account' with \(kind) as their source are not supported"
        case .noSource: "'credential_source' has neither 'file' nor 'url', or both"
        case .unknownFormat: "'credential_source.format.type' is neither 'text' nor 'json'"
        case .lifetime(let name): "'\(name)' is not from 600 to 43200 seconds"
        case .otherUniverse: "'universe_domain' is not googleapis.com, where FCM is"
        case .privateKey: "'private_key' is not an RSA key of 2048 bits or more in PEM"
        case .url(let name): "'\(name)' is not an https address, or http on this machine"
        case .sourceURL(let name):
            "'\(name)' is not an https address, or http on this machine or at a link-local address"
        case .host(let name):
            "'\(name)' is neither a sign-in server of Google's nor on this machine"
        case .metadataHost(let variable): "\(variable) names another server than a metadata server"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .unknownType: "name a file that Google made: a service account's key file has 'service_account' there"
        case .unsupported, .otherUniverse: "use a credential that docs/how-to/credentials.md lists"
        case .nestedImpersonation: "list the accounts in between in 'delegates'"
        case .unsupportedSource: "use a file or a URL as the source"
        case .host: "if you trust it, list its host in fcm.token_hosts (for a worker: --token-host)"
        case .metadataHost(let variable):
            "set \(variable) to this machine, a link-local address or metadata.google.internal, or unset it"
        case .notJSON, .missing, .notText, .notAProject, .notANumber, .notTexts, .notAnObject, .notHeaders, .noSource,
            .unknownFormat, .lifetime, .privateKey, .url, .sourceURL:
            "get the file from Google anew, or name another one"
        }
    }
}
