import FCM

/// `/fcm/notification`: the device groups of a project, identified by name and addressed by key.
///
/// The four errors that clients tell apart have FCM's own texts. FCM does not document the others; they have status 400
/// and the emulator's own texts.
struct GroupService {
    func answer(_ call: Call, from backend: Backend) throws(TextError) -> Answer? {
        switch call.method {
        case "GET" where call.parameter("notification_key") != nil:
            return .json(["registration_ids": .array(try members(call, in: backend))])
        case "GET":
            let id = DeviceGroups.ID(
                project: try project(of: call), name: try Self.name(call.parameter("notification_key_name")))
            return .key(
                try backend.change { (world, _) throws(TextError) in
                    guard world.groups.members(of: id) != nil else { throw .groupNotFound }
                    return world.newKey(of: id)
                })
        case "POST":
            let change = try GroupChange(parsing: try call.members(), project: try project(of: call))
            return .key(try backend.change { (world, _) throws(TextError) in try world.apply(change) })
        default: return nil
        }
    }

    /// The members of a key's group, in order.
    private func members(_ call: Call, in backend: Backend) throws(TextError) -> [JSONValue] {
        let project = try project(of: call)
        return try backend.read { (world, _) throws(TextError) in
            let id = try world.group(
                ofKey: call.parameter("notification_key") ?? "", project: project,
                name: call.parameter("notification_key_name"))
            return (world.groups.members(of: id) ?? []).map(\.rawValue).sorted().map(JSONValue.string)
        }
    }

    /// The project's number. The emulator accepts any number.
    private func project(of call: Call) throws(TextError) -> String {
        guard let number = call.header(.projectID), !number.isEmpty else {
            throw TextError(text: "project_id header is missing")
        }
        guard number.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            throw TextError(text: "project_id header is not a project number")
        }
        return number
    }

    fileprivate static func name(_ text: String?) throws(TextError) -> String {
        guard let text, !text.isEmpty else { throw TextError(text: "notification_key_name is missing") }
        return text
    }
}

/// The body of a `POST`: what to do with which group.
private struct GroupChange {
    let operation: Operation
    let registrations: [String]

    enum Operation {
        case create(DeviceGroups.ID)
        /// FCM checks the name against the key. A caller may leave it out.
        case add(key: String, project: String, name: String?)
        case remove(key: String, project: String, name: String?)
    }

    init(parsing members: [String: JSONValue], project: String) throws(TextError) {
        let listed = members["registration_ids"]?.array ?? []
        registrations = listed.compactMap(\.string)
        guard registrations.count == listed.count else { throw .invalidArgument }
        let name = members["notification_key_name"]?.string
        let key = members["notification_key"]?.string ?? ""
        switch members["operation"]?.string {
        case "create":
            operation = .create(DeviceGroups.ID(project: project, name: try GroupService.name(name)))
        case "add": operation = .add(key: key, project: project, name: name)
        case "remove": operation = .remove(key: key, project: project, name: name)
        default: throw TextError(text: "operation is not one of create, add, remove")
        }
    }
}

extension World {
    /// A new key, different from all others.
    fileprivate mutating func newKey(of id: DeviceGroups.ID) -> String {
        let key = newGroupKey()
        groups.add(key: key, to: id)
        return key
    }

    fileprivate mutating func apply(_ change: GroupChange) throws(TextError) -> String {
        let valid = Set(change.registrations.compactMap { possibleMember($0) })
        switch change.operation {
        case .create(let id):
            guard groups.members(of: id) == nil else { throw .groupExists }
            try checkMembers(valid, beside: [])
            groups.create(id, members: valid)
            for registration in valid { meet(registration) }
            return newKey(of: id)
        case .add(let key, let project, let name):
            let id = try group(ofKey: key, project: project, name: name)
            try checkMembers(valid, beside: groups.members(of: id) ?? [])
            groups.add(valid, to: id)
            for registration in valid { meet(registration) }
            return newKey(of: id)
        case .remove(let key, let project, let name):
            let id = try group(ofKey: key, project: project, name: name)
            if valid.isEmpty { throw .noValidRegistrations }
            // The key is made before the removal, because a deleted group has no key.
            let key = newKey(of: id)
            groups.remove(valid, from: id)
            return key
        }
    }

    /// A registration that FCM would accept as a member. It is not documented that FCM accepts fids.
    private func possibleMember(_ text: String) -> Registration? {
        guard let registration = Registration(text), let enrolment = enrolment(of: registration),
            [.active, .apnsDead].contains(enrolment.state)
        else { return nil }
        return registration
    }

    private func checkMembers(
        _ registrations: Set<Registration>, beside members: Set<Registration>
    ) throws(TextError) {
        if registrations.isEmpty { throw .noValidRegistrations }
        guard members.union(registrations).count <= DeviceGroups.maximumMembers else {
            throw TextError(text: "a device group has at most \(DeviceGroups.maximumMembers) members")
        }
    }

    fileprivate func group(ofKey key: String, project: String, name: String?) throws(TextError) -> DeviceGroups.ID {
        guard let id = groups.group(ofKey: key), id.project == project else { throw .groupNotFound }
        if let name, name != id.name { throw .groupNameMismatch }
        return id
    }
}

extension Answer {
    fileprivate static func key(_ key: String) -> Answer { .json(["notification_key": .string(key)]) }
}

extension TextError {
    fileprivate static let groupExists = TextError(text: "notification_key already exists")
    fileprivate static let groupNotFound = TextError(text: "notification_key not found")
    fileprivate static let noValidRegistrations = TextError(text: "no valid registration ids")
    fileprivate static let groupNameMismatch = TextError(
        text: "notification_key_name doesn't match the group name of the notification_key")
}
