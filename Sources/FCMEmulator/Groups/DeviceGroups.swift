import FCM

/// The device groups of all projects, with every key that was ever handed out.
struct DeviceGroups: Sendable {
    private var groups: [ID: Group] = [:]
    /// Keys stay known after their group is gone, so that they never count as tokens.
    private var keys: [String: Key] = [:]
    /// The number of the last group that was made.
    private var made = 0

    /// A name is unique within a project.
    struct ID: Hashable, Sendable {
        /// The project's number from the header.
        let project: String
        let name: String
    }

    private struct Group {
        /// Tells the group from earlier ones of the same name.
        let number: Int
        var members: Set<Registration>
    }

    private struct Key {
        let id: ID
        let number: Int
    }

    /// FCM's limit on the members of a group.
    static let maximumMembers = 20

    /// `nil` if there is no such group.
    func members(of id: ID) -> Set<Registration>? { groups[id]?.members }

    /// The members of all groups of a name in any project. `nil` if there is none.
    func members(ofName name: String) -> Set<Registration>? {
        let found = groups.filter { $0.key.name == name }
        return found.isEmpty ? nil : found.values.reduce(into: []) { $0.formUnion($1.members) }
    }

    /// The size of a group. Sizes are ordered by name.
    struct Size: Comparable {
        let name: String
        let members: Int

        static func < (one: Size, other: Size) -> Bool { (one.name, one.members) < (other.name, other.members) }
    }

    var sizes: [Size] { groups.map { Size(name: $0.key.name, members: $0.value.members.count) } }

    /// Whether the text was ever handed out as a key.
    func isKey(_ text: String) -> Bool { keys[text] != nil }

    /// The group of a key, while it exists.
    func group(ofKey key: String) -> ID? {
        guard let key = keys[key], groups[key.id]?.number == key.number else { return nil }
        return key.id
    }

    mutating func create(_ id: ID, members: Set<Registration>) {
        made += 1
        groups[id] = Group(number: made, members: members)
    }

    /// Adds another key. Earlier keys stay valid.
    mutating func add(key: String, to id: ID) {
        guard let group = groups[id] else { return }
        keys[key] = Key(id: id, number: group.number)
    }

    mutating func add(_ registrations: Set<Registration>, to id: ID) {
        groups[id]?.members.formUnion(registrations)
    }

    /// A group that loses its last member is deleted.
    mutating func remove(_ registrations: Set<Registration>, from id: ID) {
        groups[id]?.members.subtract(registrations)
        if groups[id]?.members.isEmpty == true { groups[id] = nil }
    }

    /// Removes a dead registration from all groups.
    mutating func drop(_ registration: Registration) {
        for (id, group) in groups where group.members.contains(registration) { remove([registration], from: id) }
    }
}
