/// What an exchange about a device group means, decided once, here. All of its calls may be made again: what a first
/// one did shows as `alreadyExists`, `notFound` or `noValidRegistrations` at the second.
package enum GroupVerdict: Hashable, Sendable {
    /// It was done; the group can be addressed with this key.
    case done(NotificationKey)
    /// A group of that name exists: retrieve its key, then add who is missing.
    case alreadyExists(Failure)
    case notFound(Failure)
    /// None of the registrations exists any more, or none is a member.
    case noValidRegistrations(Failure)
    /// The key is not of the group with that name: retrieve it by name.
    case nameMismatch(Failure)
    /// Refused, for this group or these members; another may succeed.
    case rejected(Failure)
    /// It did not take effect, as far as FCM says; worth another try.
    case again(Failure, Verdict.Repeat)
    /// The access token was refused: nothing took effect, and the request may go again, once, with a new one.
    case unauthenticated(Failure)
    /// Every request of its kind would fail alike: a setting or a permission is wrong.
    case stop(Failure)

    /// Judges the answer to a call about a device group.
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
            let failure = Failure(response, error)
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
        // The last member's removal takes the group with it, so that there may be no key to tell.
        let told = answer["notification_key"].map { $0.string.flatMap(NotificationKey.init(rawValue:)) }
        guard let key = told ?? operation.key else {
            return .again(.unreadable("the answer holds no notification key"), .afterNonsense)
        }
        return .done(key)
    }

    /// FCM has no codes for these: only its four sentences tell.
    private static func named(_ text: String, _ failure: Failure, _ operation: GroupOperation) -> GroupVerdict? {
        let text = text.lowercased()
        if text.contains("notification_key already exists") { return .alreadyExists(failure) }
        if text.contains("doesn't match the group name") { return .nameMismatch(failure) }
        if text.contains("no valid registration ids") { return .noValidRegistrations(failure) }
        if text.contains("notification_key not found") { return .notFound(failure) }
        return nil
    }
}
