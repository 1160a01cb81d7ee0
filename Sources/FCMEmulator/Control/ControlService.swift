import FCM

/// The emulator's own interface, `/emulator/v1/…`: what tests read and set. Its calls are not in the request log, unless they are
/// refused.
struct ControlService {
    /// The path after `/emulator`.
    let path: ArraySlice<String>

    func answer(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer {
        guard path.first == "v1" else { throw .noSuchCall(call) }
        let parts = Array(path.dropFirst())
        switch (call.method, parts.count, parts.first) {
        case ("GET", 1, "ledger"): return .lines(ledger(of: backend, id: call.parameter("message_id")))
        case ("GET", 1, "requests"): return .lines(backend.read(\.requests))
        case ("GET", 1, "sign-ins"): return .json(backend.read(\.signIns).json)
        case ("GET", 1, "registrations"):
            return .json(RegistrationList(backend.read(\.enrolments)).json)
        case ("PUT", 1, "registrations"):
            let list = try RegistrationList(parsing: try call.content())
            try backend.change { (world, now) throws(GoogleError) in list.enrol(in: &world, at: now) }
            return .json([:])
        case ("POST", 2, "registrations"):
            let registration = try Self.registration(parts[1])
            let displaced = try backend.change { (world, _) throws(GoogleError) in world.register(registration) }
            return .json(["displaced": .array(displaced.map { .string($0.rawValue) })])
        case ("GET", 1, "faults"): return .json(backend.faults.json)
        case ("PUT", 1, "faults"):
            let body = try call.content()
            do { backend.faults = try FaultScript(parsing: body, at: backend.read { $1 }) } catch {
                throw .badCall(error.description)
            }
            return .json([:])
        case ("GET", 2, "topics"):
            return .json(try members(ofTopic: parts[1], in: backend))
        case ("GET", 2, "groups"):
            return .json(try members(ofGroup: parts[1], in: backend))
        case ("GET", 3, "devices") where parts[2] == "inbox":
            return .json(try inbox(of: parts[1], in: backend))
        case ("GET", 2, "devices"): return .json(try status(of: parts[1], in: backend))
        case ("PUT", 2, "devices"): return .json(try status(of: parts[1], in: backend, after: try call.content()))
        case ("GET", 1, "overview"):
            return .json(
                backend.read { (world, now) in
                    Overview(of: world, at: now, wanted: call.parameter("find") ?? "").json
                })
        case ("GET", 1, "clock"): return .json(time(in: backend))
        case ("POST", 1, "clock"):
            let clock = try ClockCall(parsing: try call.content())
            try backend.change { (world, _) throws(GoogleError) in try world.advance(by: clock.advance) }
            return .json(time(in: backend))
        case ("POST", 1, "reset"):
            try backend.change { (world, _) throws(GoogleError) in world.reset() }
            backend.faults = FaultScript()
            return .json([:])
        default: throw .noSuchCall(call)
        }
    }

    /// - Parameter id: of the one message to return. `nil` returns all.
    private func ledger(of backend: Backend, id: String?) -> LineLog {
        let ledger = backend.read(\.ledger)
        guard let id else { return ledger }
        var member = JSONLine()
        member.add("message_id", id)
        let wanted = member.finished().dropFirst().dropLast(2)
        // Each line begins with its time and its id.
        return ledger.filtered { line in
            line.drop { $0 != UInt8(ascii: ",") }.dropFirst().starts(with: wanted + [UInt8(ascii: ",")])
        }
    }

    /// The topic's subscribers, in order.
    private func members(ofTopic name: String, in backend: Backend) throws(GoogleError) -> JSONValue {
        guard let topic = TopicName(rawValue: name) else { throw .badCall("'\(name)' is no topic name") }
        let members = backend.read { (world, _) in world.subscribers(of: topic).map(\.rawValue) }
        return .array(members.sorted().map(JSONValue.string))
    }

    /// The members of all groups of that name in any project, in order.
    private func members(ofGroup name: String, in backend: Backend) throws(GoogleError) -> JSONValue {
        guard let members = backend.read(\.groups).members(ofName: name) else {
            throw GoogleError(status: .notFound, message: "there is no group '\(name)'")
        }
        return .array(members.map(\.rawValue).sorted().map(JSONValue.string))
    }

    private func inbox(of text: String, in backend: Backend) throws(GoogleError) -> JSONValue {
        let registration = try Self.registration(text)
        let simulatedDevice = backend.read { (world, _) in world.simulatedDevice(of: registration) }
        let entries = simulatedDevice.arrivals.map {
            InboxEntry(arrival: $0, platform: simulatedDevice.platform, installation: simulatedDevice.installation)
        }
        return .array(entries.map(\.json))
    }

    /// - Parameter body: a change to make first.
    private func status(
        of text: String, in backend: Backend, after body: [UInt8]? = nil
    ) throws(GoogleError) -> JSONValue {
        let registration = try Self.registration(text)
        if let change = try body.map({ (body) throws(GoogleError) in try DeviceChange(parsing: body) }) {
            try backend.change { (world, now) throws(GoogleError) in
                guard world.enrolment(of: registration) != nil else { throw .unknownDevice }
                try world.apply(change, to: registration, at: now)
            }
        }
        return try backend.read { (world, now) throws(GoogleError) in
            guard world.enrolment(of: registration) != nil else { throw .unknownDevice }
            return world.status(of: registration, at: now).json
        }
    }

    private static func registration(_ text: String) throws(GoogleError) -> Registration {
        guard let registration = Registration(text) else { throw .badCall("this is no registration") }
        return registration
    }

    private func time(in backend: Backend) -> JSONValue {
        backend.read { (world, now) in ClockCall.json(now: now, lead: world.lead) }
    }
}

extension Backend {
    fileprivate func read<Value>(_ path: KeyPath<World, Value>) -> Value {
        read { (world, _) in world[keyPath: path] }
    }
}

extension GoogleError {
    static func badCall(_ message: String) -> GoogleError {
        GoogleError(status: .invalidArgument, message: message)
    }

    fileprivate static let unknownDevice = GoogleError(status: .notFound, message: "there is no such registration")

    fileprivate static func noSuchCall(_ call: Call) -> GoogleError {
        GoogleError(status: .notFound, message: "the emulator has no call \(call.method) \(call.targetPath)")
    }
}
