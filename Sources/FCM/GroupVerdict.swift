/// What an answer about a device group means. This is the only place that decides it. Every call about a group may be
/// repeated: if the first try had its effect, the second one gives `alreadyExists`, `notFound` or
/// `noValidRegistrations`.
package enum GroupVerdict: Hashable, Sendable {
    /// The call succeeded. This key addresses the group.
    case done(NotificationKey)
    /// A group of that name exists. Retrieve its key, then add the missing members.
    case alreadyExists(Failure)
    case notFound(Failure)
    /// None of the registrations is valid any more, or none is a member.
    case noValidRegistrations(Failure)
    /// The key does not belong to the group of that name. Retrieve the key by name.
    case nameMismatch(Failure)
    /// FCM refused this group or these members. Other calls may succeed.
    case rejected(Failure)
    /// FCM says that the call had no effect. Another try may succeed.
    case again(Failure, Verdict.Repeat)
    /// FCM refused the access token, so nothing took effect. The request may go once more with a new token.
    case unauthenticated(Failure)
    /// Every request of this kind would fail: a setting or a permission is wrong.
    case stop(Failure)

    /// Judges the answer to a call about a device group (docs/reference/fcm-older.md#device-groups).
    package init(_ exchange: Exchange, for operation: GroupOperation) {
        switch exchange {
        case .notSent(let reason): self = .again(.notSent(reason), .afterNothing)
        case .refused(let reason): self = .stop(.refused(reason))
        case .lost(let reason): self = .again(.lost(reason), .afterLoss)
        case .response(let response):
            let error = ErrorBody(response.body)
            if response.status == 200, error.status == nil {
                self = Self.success(response, operation)
                return
            }
            let failure = Self.failure(response, error)
            switch response.status {
            case 200, 400, 404, 409:
                self =
                    error.message.flatMap { Self.named($0, failure, operation) }
                    ?? (response.status == 404 ? .stop(failure) : .rejected(failure))
            case 401: self = .unauthenticated(failure)
            default:
                self = Verdict.Repeat(afterRepeatable: response, error).map { .again(failure, $0) } ?? .stop(failure)
            }
        }
    }

    private static func success(_ response: Response, _ operation: GroupOperation) -> GroupVerdict {
        guard let answer = try? JSONValue(parsing: response.body), answer.object != nil else {
            return .again(.unreadable("the answer is no JSON object"), .afterNonsense)
        }
        // Removing the last member deletes the group, so the answer may have no key.
        let told = answer["notification_key"].map { $0.string.flatMap(NotificationKey.init(rawValue:)) }
        guard let key = told ?? operation.key else {
            return .again(.unreadable("the answer holds no notification key"), .afterNonsense)
        }
        return .done(key)
    }

    /// A sentence stands where other APIs have a code. The HTTP status gives the code, and 200 is one of them, too.
    private static func failure(_ response: Response, _ error: ErrorBody) -> Failure {
        if error.isGoogles || error.status == nil { return Failure(response, error) }
        var sentence = error
        sentence.status = nil
        var failure = Failure(response, sentence)
        if response.status == 200 { failure.code = FailureCode.invalidArgument.rawValue }
        return failure
    }

    /// FCM has no error codes for groups. Only its four sentences tell the cases apart.
    private static func named(_ text: String, _ failure: Failure, _ operation: GroupOperation) -> GroupVerdict? {
        let text = text.lowercased()
        if text.contains("notification_key already exists") { return .alreadyExists(failure) }
        if text.contains("doesn't match the group name") { return .nameMismatch(failure) }
        if text.contains("no valid registration ids") {
            var dead = failure
            dead.code = FailureCode.unregistered.rawValue
            return .noValidRegistrations(dead)
        }
        if text.contains("notification_key not found") { return .notFound(failure) }
        return nil
    }
}
