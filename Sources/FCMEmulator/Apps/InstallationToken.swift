import FCM

/// The JSON Web Token with which an app proves which installation it is. It has the claims of Firebase's tokens. The
/// signature is not checked, so tokens from Firebase itself work too.
struct InstallationToken {
    let fid: Registration
    let expires: Date

    /// One week in seconds, as at Firebase.
    static let lifetime = 604_800

    /// - Parameter header: the token. The web SDK writes `FIS` before it, the Apple SDK does not.
    init(_ header: String?, at now: Date) throws(GoogleError) {
        guard let header, !header.isEmpty else { throw .unauthenticated(.missing) }
        let token = header.split(separator: " ").last ?? ""
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = [UInt8](base64URL: parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
            let fid = claims["fid"]?.string.flatMap({ Registration($0, kind: .fid) }), let end = claims["exp"]?.int
        else { throw .unauthenticated(.unknown) }
        self.fid = fid
        expires = Date(timeIntervalSince1970: Double(end))
        if now >= expires { throw .unauthenticated(.expired) }
    }

    /// The header's claims without the signature, so that the text proves nothing.
    static func withoutSignature(_ header: String) -> String {
        header.lastIndex(of: ".").map { String(header[...$0]) } ?? ""
    }

    static func text(fid: Registration, app: String, at now: Date, signature: String) throws(GoogleError) -> String {
        let header: JSONValue = ["alg": "ES256", "typ": "JWT"]
        let claims: JSONValue = [
            "appId": .string(app), "exp": .int(Int64(now.microsecondsSince1970 / 1_000_000 + lifetime)),
            "fid": .string(fid.rawValue), "projectNumber": .string(MetadataService.project.number),
        ]
        do {
            return "\(try header.bytes().base64URL).\(try claims.bytes().base64URL).\(signature)"
        } catch {
            throw GoogleError(status: .internal, message: "\(error)")
        }
    }
}
