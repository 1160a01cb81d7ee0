internal import FCM

extension ResourceReader {
    static let memberKeys = KeyTable(["audience", "tokens", "fids"])

    static func group(_ fields: Fields, _ findings: inout Findings) -> Group? {
        let name = fields.string("name", &findings).flatMap { groupName($0, &findings) }
        let members = fields["members"].flatMap { Self.members($0, &findings) }
        guard let name, let members else { return nil }
        return Group(name: name, members: members)
    }

    static func groupName(_ text: Located<String>, _ findings: inout Findings) -> Located<GroupName>? {
        if let name = GroupName(rawValue: text.value) { return Located(name, at: text.range) }
        findings.diagnostics.append(
            .error(
                .groupName, "'\(text.value)' is not a group's name", at: text.range,
                help: "1 to \(GroupName.maximumLength) printable characters without spaces"))
        return nil
    }

    private static func members(_ node: Node, _ findings: inout Findings) -> Group.Members? {
        guard let fields = Fields(node, "'members'", memberKeys, &findings),
            let key = onlyKey(
                of: memberKeys.known, in: fields, &findings, otherwise: .groupMembers, none: "the group has no members",
                many: "a group's members come from one place")
        else { return nil }
        if key == "audience" { return fields.string(key, &findings).map { .audience($0) } }
        if key == "fids" {
            findings.diagnostics.append(
                .warning(
                    .groupFids, "fids as members of a group are undocumented by FCM",
                    at: findings.at(fields.keyRange(key)),
                    help: "list the devices' tokens"))
        }
        let malformed = findings.diagnostics.count
        let listed = registrations(key, in: fields, &findings)
        if findings.diagnostics.count == malformed, let node = fields[key],
            let problem = Group.problem(withMembers: Set(listed.map(\.recipientKey)).count)
        {
            findings.error(.groupMembers, problem, at: node.range, help: Group.sizeHelp)
        }
        return .inline(listed)
    }
}

extension Group {
    static let sizeHelp = "FCM's groups have 1 to \(maximumMembers)"

    /// What is wrong with this number of members. `nil` if it is allowed.
    static func problem(withMembers count: Int) -> String? {
        switch count {
        case 0: "the group has no members"
        case ...maximumMembers: nil
        default: "the group has \(count) members"
        }
    }
}
