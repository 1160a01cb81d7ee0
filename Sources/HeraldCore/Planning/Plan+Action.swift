extension Plan {
    /// What kind of work a step is.
    package enum Action: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        case subscribe, unsubscribe
        case adoption(Adoption.Action)
        case group(GroupChange.Action)
        case send

        package init?(rawValue: String) {
            switch rawValue {
            case "subscribe": self = .subscribe
            case "unsubscribe": self = .unsubscribe
            case "send": self = .send
            default:
                if let action = Adoption.Action(rawValue: rawValue) {
                    self = .adoption(action)
                } else {
                    guard let action = GroupChange.Action(rawValue: rawValue) else { return nil }
                    self = .group(action)
                }
            }
        }

        /// The name in documents.
        package var rawValue: String {
            switch self {
            case .subscribe: "subscribe"
            case .unsubscribe: "unsubscribe"
            case .adoption(let action): action.rawValue
            case .group(let action): action.rawValue
            case .send: "send"
            }
        }

        package var description: String { rawValue }

        /// Whether it makes recipients join or leave.
        enum Effect: Hashable, Sendable {
            case joins, leaves, none
        }

        var effect: Effect {
            switch self {
            case .subscribe, .group(.create), .group(.add): .joins
            case .unsubscribe, .group(.remove), .group(.delete): .leaves
            case .adoption, .send: .none
            }
        }
    }
}

extension Plan.Work {
    package var action: Plan.Action {
        switch self {
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .adopt(let adoption): .adoption(adoption.action)
        case .group(let change): .group(change.action)
        case .send: .send
        }
    }
}
