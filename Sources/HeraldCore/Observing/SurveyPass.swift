internal import Crypto
internal import FCM

/// Everybody whom a survey is about is asked for once in a pass, by one call or by several. The state notes a pass that
/// has begun and is not over, so that a later call goes on with it.
package struct SurveyPass: Hashable, Sendable {
    /// The state has this time for everybody who was asked for in this pass.
    package let began: Date
    /// What it is about. A call that is about something else begins a pass of its own.
    private let scope: String
    /// Who was asked for by earlier calls.
    package let before: RecipientSet

    /// Goes on with the pass that the state notes, or begins a new one.
    ///
    /// - Parameters:
    ///   - scope: the words that say whom it is about, such as names of topics.
    ///   - everybody: whom it is about.
    package init(about scope: [String], _ everybody: RecipientSet, in state: RecordedState, at now: Date) {
        let digest = SHA256.hash(data: Array(scope.joined(separator: "\n").utf8)).hexadecimal
        self.scope = digest
        if let noted = state.notes[.driftPass].flatMap(Self.read), noted.scope == digest {
            let times = state.observed.states.filter { $0 >= noted.began }
            let asked = state.observed.union(of: times).intersection(everybody)
            // If those who are left are gone from the state, there is nothing to go on with.
            if asked.count < everybody.count {
                (began, before) = (noted.began, asked)
                return
            }
        }
        let newest = state.observed.states.max()?.addingTimeInterval(0.001)
        began = RecordedState.observationTime(max(now, newest ?? now))
        before = []
    }

    package var isContinued: Bool { !before.isEmpty }

    /// Notes that it is under way.
    package var noting: StateChange {
        let milliseconds = Int64((began.timeIntervalSince1970 * 1000).rounded())
        return .note(.driftPass, JSONValue.object(["began": .int(milliseconds), "scope": .string(scope)]).compactText)
    }

    /// Notes that none is under way.
    package static let ended = StateChange.note(.driftPass, "")

    /// `nil` for what no herald writes.
    private static func read(_ text: String) -> (began: Date, scope: String)? {
        guard let json = try? JSONValue(strictly: Array(text.utf8), depth: 2), let scope = json["scope"]?.string,
            let began = json["began"]?.int, (0..<253_402_300_800_000).contains(began)
        else { return nil }
        return (Date(timeIntervalSince1970: Double(began) / 1000), scope)
    }
}
