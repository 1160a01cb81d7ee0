/// What herald does not do unless a person overrides it.
package enum Guard: String, Hashable, Sendable, CaseIterable {
    case maxRecipients = "max_recipients"
    case personalRows = "personal_rows"
    case maxUnsubscribePercent = "max_unsubscribe_percent"
    case maxForgetPercent = "max_forget_percent"
    case audienceCollapse = "audience_collapse"
    case audienceGrowth = "audience_growth"
    case staleList = "stale_list"
    case foreignGroup = "foreign_group"
    case freshRecord = "fresh_record"
    case looksRenamed = "looks_renamed"
    case stateWentBack = "state_went_back"
    case stateMoved = "state_moved"
    case olderFiles = "older_files"
    case otherWorkspace = "other_workspace"

    /// Whether it is about the state as a whole, so that nothing may be done.
    package var isOfEverything: Bool { [.stateWentBack, .stateMoved, .olderFiles, .otherWorkspace].contains(self) }

    /// Whether only a run can find it out, so that no plan names it.
    package var isOfRuns: Bool { self == .maxForgetPercent || self == .foreignGroup }

    /// Whether it leaves out what it is about even where a person applies, and the rest is done.
    package var leavesOut: Bool { self == .personalRows }

    /// What a person does about it who does not want to override it.
    ///
    /// - Parameter names: what it refuses something.
    package func remedy(for names: [String]) -> String {
        switch self {
        case .maxRecipients: "correct the target, or raise 'max_recipients' in the campaign's 'acknowledge'"
        case .personalRows: "correct the rows that the plan names; an override skips them"
        case .maxUnsubscribePercent: "complete the list"
        case .maxForgetPercent: "check the credential and the project: wrong ones make every registration look dead"
        case .audienceCollapse: "complete the list"
        case .audienceGrowth: "check that it is the right list"
        case .staleList: "run 'herald fetch \(names.joined(separator: " "))'"
        case .foreignGroup: "give the group another name"
        case .freshRecord: "if there is an older state, set 'state' to it"
        case .looksRenamed: "if it was renamed, add 'previous_names' with the name from before"
        case .stateWentBack: "put back the newest state, not an older copy"
        case .stateMoved: "connect to the database from before"
        case .olderFiles: "check out the newest commit"
        case .otherWorkspace: "give each workspace a state of its own, with 'state' in herald.yaml or HERALD_STATE"
        }
    }
}

/// A guard that blocks a plan.
package struct GuardRefusal: Hashable, Sendable {
    package var kind: Guard
    /// The topic, group, audience or campaign it is about. Empty for the state itself.
    package var name: String
    package var limit: Int
    package var actual: Int
    package var message: String
    /// What it says of several at once, before their names. `nil` where each has figures of its own.
    var common: String?
    /// The topic or group, if it is about one. They may have the same name.
    var subject: Plan.Subject?

    /// What it refuses, whatever its figures are by now.
    struct Cause: Hashable, Sendable {
        var kind: Guard
        var name: String
        var subject: Plan.Subject?
    }

    var cause: Cause { Cause(kind: kind, name: name, subject: subject) }

    /// The option of `apply` that overrides the guard.
    package var override: String { "--override \(kind.rawValue)\(name.isEmpty ? "" : "=\(name)")" }

    /// Why something is left out, for a report.
    var reason: String { "guard \(kind.rawValue): \(message) (\(override))" }

    /// What a person can do.
    package var help: String { RefusedGuard(kind: kind, refusals: [self]).help }
}

extension GuardRefusal {
    /// What a guard refused while a run was at work.
    ///
    /// - Parameters:
    ///   - name: what an override of it names.
    ///   - finding: in words that name nothing.
    package init(_ kind: Guard, of name: String, in step: StepID, _ finding: String) {
        self.init(kind: kind, name: name, limit: 0, actual: 0, message: "step '\(step)': \(finding)")
    }
}

/// What a guard refuses in one plan. What holds for all of it is told once.
package struct RefusedGuard: Hashable, Sendable {
    package let kind: Guard
    /// Occurrences of one campaign may be refused in the same words. These are there once.
    fileprivate let refusals: [GuardRefusal]

    /// More of one guard are only counted.
    private static let shown = 20

    /// A sentence for each refusal. Those that differ by nothing but a name share one.
    package var messages: [String] {
        let shared = Dictionary(grouping: refusals) { $0.common }.filter { $0.key != nil && $0.value.count > 1 }
        let alone = refusals.filter { shared[$0.common] == nil }.map(\.message)
        let together = shared.compactMap { common, refusals in common.map { "\($0): \(Self.listed(refusals))" } }
        let all = together.sorted() + alone
        return all.prefix(Self.shown) + (all.count > Self.shown ? ["and \(all.count - Self.shown) more"] : [])
    }

    private static func listed(_ refusals: [GuardRefusal]) -> String {
        let names = refusals.prefix(shown).map(\.name).joined(separator: ", ")
        return names + (refusals.count > shown ? " and \(refusals.count - shown) more" : "")
    }

    /// Whom or what it refuses something, each once.
    package var names: [String] { Set(refusals.map(\.name)).sorted() }

    /// What a person can do.
    package var help: String {
        let remedy = kind.remedy(for: names)
        guard names.count > 1 else {
            return "\(remedy); to let it through: herald apply \(refusals.first?.override ?? "")"
        }
        return "\(remedy); to let all of them through: herald apply --override \(kind.rawValue); one of them: "
            + "--override \(kind.rawValue)=NAME"
    }
}

extension [GuardRefusal] {
    /// By guard, in the order of the first refusal of each.
    package var byGuard: [RefusedGuard] {
        var kinds: [Guard] = []
        for refusal in self where !kinds.contains(refusal.kind) { kinds.append(refusal.kind) }
        var seen: Set<GuardRefusal> = []
        let distinct = filter { seen.insert($0).inserted }
        return kinds.map { kind in RefusedGuard(kind: kind, refusals: distinct.filter { $0.kind == kind }) }
    }
}

/// What becomes of a plan that guards refuse.
package enum GuardPolicy: Hashable, Sendable {
    /// Nothing is done unless a person overrides every refusal.
    case stop(Overrides)
    /// What guards refuse is left out, and the rest is done.
    case leaveOut

    package var overrides: Overrides {
        if case .stop(let overrides) = self { overrides } else { Overrides() }
    }

    /// What is left out because of these, while the rest is done.
    func leftOut(_ refusals: [GuardRefusal]) -> [GuardRefusal] {
        switch self {
        case .stop(let overrides):
            refusals.filter { $0.kind.leavesOut && !overrides.allow($0.kind, for: $0.name) }
        case .leaveOut: refusals
        }
    }
}

/// Guards that a person overrides, either everywhere or for one name.
package struct Overrides: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var kind: Guard
        package var name: String?
    }

    package var entries: [Entry] = []

    package init() {}

    /// Reads `GUARD` or `GUARD=NAME`. `nil` if one of the texts names no guard.
    package init?(_ texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let kind = parts.first.flatMap({ Guard(rawValue: String($0)) }) else { return nil }
            if parts.count == 2, parts[1].isEmpty { return nil }
            entries.append(Entry(kind: kind, name: parts.count == 2 ? String(parts[1]) : nil))
        }
    }

    package func allow(_ kind: Guard, for name: String) -> Bool {
        entries.contains { $0.kind == kind && ($0.name == nil || $0.name == name) }
    }

    /// Whether a new plan with them lets it go on.
    package func release(_ held: Plan.Held) -> Bool {
        held.override.map { allow($0, for: StepID.send(held.occurrence).rawValue) } ?? false
    }
}
