/// Why a recipient of an occurrence is skipped: it was decided that nothing of it is sent to them.
package enum SkipReason: Hashable, Sendable {
    /// They were due outside of their window, and nobody waits for it (`when_closed: skip`).
    case outsideWindow
    /// No run came in time: their window was open for longer than `max_lateness`, or `expires_after` passed.
    case missed
    /// A later occurrence takes its place, because they waited for both (`catch_up`).
    case superseded
    /// Their clock jumped over the local time, and `dst.gap` is skip.
    case noSuchTime
    /// On their clock another local time of the schedule was the same instant.
    case sameInstant
    /// The occurrence ended before they were tried, and a person had only others tried again, or they were erased before.
    /// Or a person had it go on with a target that may not have them.
    case notTried
    /// Their row made no message when others began to get it, or when their wave was fixed.
    case badRow
    /// They were in a holdout when a person had it go on with another target, and get nothing of that either.
    case heldOut
    /// They have had as many messages as the cap of that name allows.
    case capped(String)

    /// Those that are one figure in documents. Caps have one each.
    package static let single: [SkipReason] = [
        .outsideWindow, .missed, .superseded, .noSuchTime, .sameInstant, .notTried, .badRow, .heldOut,
    ]
}

/// As the state keeps them: `outside_window`, `capped:promo`.
extension SkipReason: RawRepresentable {
    private static let ofCaps = "capped:"

    package init?(rawValue text: String) {
        switch text {
        case "outside_window": self = .outsideWindow
        case "missed": self = .missed
        case "superseded": self = .superseded
        case "no_such_time": self = .noSuchTime
        case "same_instant": self = .sameInstant
        case "not_tried": self = .notTried
        case "bad_rows": self = .badRow
        case "held_out": self = .heldOut
        default:
            guard text.hasPrefix(Self.ofCaps) else { return nil }
            self = .capped(String(text.dropFirst(Self.ofCaps.count)))
        }
    }

    package var rawValue: String {
        switch self {
        case .outsideWindow: "outside_window"
        case .missed: "missed"
        case .superseded: "superseded"
        case .noSuchTime: "no_such_time"
        case .sameInstant: "same_instant"
        case .notTried: "not_tried"
        case .badRow: "bad_rows"
        case .heldOut: "held_out"
        case .capped(let cap): Self.ofCaps + cap
        }
    }
}
