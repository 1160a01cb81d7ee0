import FCM
import HeraldCore

extension String {
    /// The text with everything hidden that could be a registration, or the password of a database.
    var maskingSecrets: String { maskingPasswords.maskingRegistrations }

    /// The text with everything hidden that could be a registration. People paste registrations in places where none
    /// belongs, and errors repeat what was typed.
    var maskingRegistrations: String { Registration.masking(self) { $0.mayBeRegistration } }

    /// Longer than any name. A token that was cut off is still a secret.
    private static let longest = 64

    /// Names such as `customer-notifications` are as long as a fid, but no fid is without capitals and digits.
    private var mayBeRegistration: Bool {
        // A word with dashes before it is an option.
        count > Self.longest
            || Registration(String(drop { $0 == "-" })) != nil && contains { $0.isUppercase || $0.isNumber }
    }
}
