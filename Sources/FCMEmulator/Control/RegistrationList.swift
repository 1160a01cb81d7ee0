import FCM

/// The registrations of `GET` and `PUT /emulator/v1/registrations`.
struct RegistrationList {
    private var entries: [Entry]

    /// One element of the list. What it leaves out stays unchanged.
    private struct Entry {
        var registration: Registration
        var platform: Platform?
        var state: Enrolment.State?
        var topics: Set<TopicName>?
    }

    init(_ enrolments: [Registration: Enrolment]) {
        entries = enrolments.sorted { $0.key.rawValue < $1.key.rawValue }.map { registration, enrolment in
            Entry(
                registration: registration, platform: enrolment.platform, state: enrolment.state,
                topics: Set(enrolment.topics.keys))
        }
    }

    init(parsing body: [UInt8]) throws(GoogleError) {
        guard let elements = (try? JSONValue(parsing: body))?.array else {
            throw .badCall("registrations are a JSON array of objects")
        }
        entries = []
        for (index, element) in elements.enumerated() {
            entries.append(try Self.entry(element, place: "[\(index)]"))
        }
    }

    var json: JSONValue {
        .array(
            entries.map { entry in
                [
                    "registration": .string(entry.registration.rawValue),
                    "kind": .string(entry.registration.kind.rawValue),
                    "platform": .string((entry.platform ?? .android).rawValue),
                    "state": .string((entry.state ?? .active).rawValue),
                    "topics": .array((entry.topics ?? []).sorted().map { .string($0.rawValue) }),
                ]
            })
    }

    /// Adds or changes the listed registrations and leaves others alone. Listed topics replace the previous ones.
    func enrol(in world: inout World, at now: Date) {
        for entry in entries {
            let registration = entry.registration
            let before = world.enrolments[registration] ?? Enrolment()
            world.enrol(
                registration, platform: entry.platform ?? before.platform, state: entry.state ?? before.state)
            guard let topics = entry.topics else { continue }
            for topic in before.topics.keys where !topics.contains(topic) { world.leave(registration, topic, at: now) }
            for topic in topics { world.join(registration, topic, at: now) }
        }
    }

    private static func entry(_ element: JSONValue, place: String) throws(GoogleError) -> Entry {
        guard let members = element.object else { throw .badCall("\(place): not an object") }
        let names: Set = ["registration", "kind", "platform", "state", "topics"]
        if let stranger = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw .badCall("\(place): unknown key '\(stranger)'")
        }
        guard let registration = members["registration"]?.string.flatMap({ Registration($0) }) else {
            throw .badCall("\(place).registration: neither a token nor a fid")
        }
        if let kind = members["kind"], kind.string != registration.kind.rawValue {
            throw .badCall("\(place).kind: this registration is a \(registration.kind.rawValue)")
        }
        var entry = Entry(registration: registration)
        entry.platform = try choice(members["platform"], place: "\(place).platform")
        entry.state = try choice(members["state"], place: "\(place).state")
        if let topics = members["topics"] {
            guard let names = topics.array?.map({ $0.string.flatMap(TopicName.init(rawValue:)) }),
                !names.contains(nil)
            else { throw .badCall("\(place).topics: not an array of topic names") }
            entry.topics = Set(names.compactMap(\.self))
        }
        return entry
    }

    private static func choice<Choice>(_ value: JSONValue?, place: String) throws(GoogleError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let value else { return nil }
        guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badCall("\(place): not one of \(choices)")
        }
        return choice
    }
}
