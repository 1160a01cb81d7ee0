// Base64url (RFC 4648, section 5) without padding, for JSON Web Tokens and query parameters.
extension [UInt8] {
    /// `nil` for any other text.
    init?(base64URL text: some StringProtocol) {
        guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(data)
    }

    var base64URL: String {
        let base64 = Data(self).base64EncodedString().prefix { $0 != "=" }
        return String(base64).replacing("+", with: "-").replacing("/", with: "_")
    }
}
