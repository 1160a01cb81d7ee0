import FCM
import HeraldCore

/// The members of device groups as a CSV list.
struct MemberList {
    static let header = "token,fid,group"

    /// The rows of a list that was there.
    var former: [(group: String, line: String)] = []
    /// The groups that were added: their former rows go.
    private var added: Set<String> = []
    private var lines: [String] = []

    private var kept: [String] { former.filter { !added.contains($0.group) }.map(\.line) }

    var text: String { ([Self.header] + kept + lines).map { $0 + "\n" }.joined() }

    /// What a person is told of it.
    func summary(in file: String) -> String {
        let others = kept.count
        return "wrote \(count(lines.count, "member")) to \(file)"
            + (others == 0 ? "" : ", and kept \(count(others, "other row"))")
    }

    mutating func add(_ members: [RecipientID: Registration], of group: GroupName) {
        if members.isEmpty { return }
        added.insert(group.rawValue)
        for (_, member) in members.sorted(by: { $0.key < $1.key }) {
            let columns = member.kind == .token ? "\(member.rawValue)," : ",\(member.rawValue)"
            lines.append("\(columns),\(group.rawValue.quotedForCSV)")
        }
    }

    /// What to say of those who may be no members.
    static func warning(of unsure: Int, in group: GroupName) -> String {
        let known = "FCM's answer about \(unsure == 1 ? "it" : "them") is not known"
        return """
            herald: group '\(group)': \(count(unsure, "registration")) in the list may be no \(unsure == 1 ? "member" : "members"): \(known)
              help: 'herald apply' asks again; export the list anew after it

            """
    }

    private static let shownNames = 20

    /// Which groups there are.
    static func sentence(on names: [String]) -> String {
        if names.isEmpty { return "the state has no groups" }
        let rest = names.count - shownNames
        return "the state has: " + names.prefix(shownNames).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension RecordedState {
    /// The members, and those who may be. Who joined with an earlier registration appears once, with the current one.
    func recipients(in group: GroupName) -> RecipientSet {
        let all = groups[group].map { $0.members.union($0.adding) } ?? []
        return RecipientSet(Set(all.map { formers[$0] ?? $0 }).sorted())
    }
}

extension String {
    /// A field of a CSV (RFC 4180).
    fileprivate var quotedForCSV: String {
        // Looks at scalars: a quote with a combining mark behind it is another character.
        guard unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return self }
        return "\"" + unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}
