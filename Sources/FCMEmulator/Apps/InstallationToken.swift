import FCM

/// What an app proves with that it is an installation: a JSON Web Token with the claims that Firebase's have. Its
/// signature is not looked at, so an app may bring one from Firebase itself.
struct InstallationToken {
    let fid: Registration
    let expires: Date

    /// A week, as Firebase's last.
    static let lifetime = 604_800

    /// - Parameter header: with the word `FIS` before the token, as on the web, or without, as from Apple devices.
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

    /// What a header says of who calls, without what could prove it.
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
