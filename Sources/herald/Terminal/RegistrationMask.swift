import FCM

extension String {
    /// The text with everything hidden that could be a registration. People paste registrations in places where none
    /// belongs, and errors repeat what was typed.
    var maskingRegistrations: String {
        var masked = ""
        for part in split(omittingEmptySubsequences: false, whereSeparator: { !$0.isRegistrationCharacter }) {
            masked += part.masked
            if part.endIndex < endIndex { masked.append(self[part.endIndex]) }
        }
        return masked
    }
}

extension Character {
    fileprivate var isRegistrationCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "_" || self == "-" || self == ":")
    }
}

extension Substring {
    private static let mask = "(registration)"

    /// Longer than any name. A token that was cut off is still a secret.
    private static let longest = 64

    fileprivate var masked: String {
        if count > Self.longest { return Self.mask }
        // A colon may stand before it, as in `topic:NAME`.
        return split(separator: ":", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == "-" }.looksLikeFID ? Self.mask : String($0) }.joined(separator: ":")
    }

    /// Names such as `customer-notifications` are as long as a fid, but no fid is without capitals and digits.
    private var looksLikeFID: Bool {
        Registration(String(self)) != nil && contains { $0.isUppercase || $0.isNumber }
    }
}
