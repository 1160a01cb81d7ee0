internal import FCM

/// What a code in a report or in an error means, what herald does about it, and what a person does.
package struct CodeExplanation: Hashable, Sendable {
    package let name: String
    package let meaning: String
    package let consequence: String
    /// `nil` if there is nothing to do.
    package let remedy: String?
    /// What shows more of it. `nil` if nothing does.
    package let diagnosis: String?

    package static let names =
        FailureCode.allCases.map(\.rawValue) + AppleReason.allCases.map(\.rawValue)
        + SignInCode.allCases.map(\.rawValue)

    /// `nil` for a name that is no code. If none is written like this, upper and lower case are the same.
    package init?(_ name: String) {
        if let exact = Self(exactly: name) {
            self = exact
            return
        }
        let near = Self.names.first { $0.lowercased() == name.lowercased() }
        guard let explanation = near.flatMap(Self.init(exactly:)) ?? Self(status: name) else { return nil }
        self = explanation
    }

    private init?(exactly name: String) {
        if let code = FailureCode(rawValue: name) {
            self.init(name, code.meaning, code.consequence, code.remedy, code.diagnosis)
        } else if let reason = AppleReason(rawValue: name) {
            self.init(name, reason.meaning, reason.consequence, reason.remedy)
        } else if let code = SignInCode(rawValue: name) {
            self.init(
                name, code.meaning, "Nothing is sent. herald ends, and what was not sent stays pending.", code.remedy)
        } else {
            return nil
        }
    }

    /// `HTTP_502`: what a report says of an answer that has a status and nothing else.
    private init?(status name: String) {
        guard name.uppercased().hasPrefix("HTTP_"), let status = Int(name.dropFirst(5)), (300...599).contains(status)
        else { return nil }
        self.init(
            "HTTP_\(status)", "The answer has this HTTP status, and no error of FCM's is in it.",
            status >= 500
                ? "A send may have gone out: it is unknown, and held. A membership is asked for again."
                : status == 409
                    ? "A send stops the campaign. A membership is asked for again."
                    : "The step stops, as it would be so for everybody.",
            "Look at `fcm.endpoint` and at proxies on the way.")
    }

    private init(
        _ name: String, _ meaning: String, _ consequence: String, _ remedy: String?, _ diagnosis: String? = nil
    ) {
        (self.name, self.meaning, self.consequence) = (name, meaning, consequence)
        (self.remedy, self.diagnosis) = (remedy, diagnosis)
    }
}
