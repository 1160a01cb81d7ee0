import FCM

/// One line of the `--data` file: something that happened to the world.
enum JournalRecord: Sendable {
    /// The emulator has started or was reset.
    case start(World.Settings, World.Counters)
    /// A call that changes the world, just before the change.
    case change(Call, Occasion)
    /// An access token, just before it is issued. `lasting` is its lifetime in seconds.
    case token(lasting: Double, Occasion)
    /// An answered call, for the request log.
    case request(Call, status: Int?, at: Date)

    /// The circumstances of a call.
    struct Occasion: Hashable, Sendable {
        var now: Date
        var counters: World.Counters
        /// The status that the ledger records for its deliveries.
        var toldStatus: Int?
    }
}

extension JournalRecord {
    /// One line of JSON with its line break.
    var line: [UInt8] {
        var line = JSONLine()
        switch self {
        case .start(let settings, let counters):
            line.add("kind", "start")
            line.add("strict", settings.strict)
            line.add("membership_delay", document: String(settings.membershipDelay).utf8)
            line.add("ended_services", settings.hasEndedServices)
            line.add(counters)
        case .change(let call, let occasion):
            line.add("kind", "change")
            line.add(call, at: occasion.now, status: occasion.toldStatus)
            line.add(occasion.counters)
            var headers = JSONLine()
            // The authorization was checked already. It is a secret, so it is not written.
            for (header, value) in call.headers where header != .authorization {
                headers.add(
                    header.rawValue,
                    header == .installationAuth ? InstallationToken.withoutSignature(value) : value)
            }
            line.add("headers", document: headers.finished().dropLast())
            guard let body = call.body else { break }
            if let text = String(validating: body, as: UTF8.self) {
                line.add("body", text)
            } else {
                line.add("body_base64", Data(body).base64EncodedString())
            }
        case .token(let seconds, let occasion):
            line.add("kind", "token")
            line.add("time", at: occasion.now)
            line.add(occasion.counters)
            line.add("seconds", document: String(seconds).utf8)
        case .request(let call, let status, let now):
            line.add("kind", "request")
            line.add(call, at: now, status: status)
        }
        return line.finished()
    }

    /// `nil` for a line that this version does not write.
    init?(parsing line: some Sequence<UInt8>) {
        guard let members = (try? JSONValue(parsing: line))?.object else { return nil }
        switch members["kind"]?.string {
        case "start":
            guard case .bool(let strict)? = members["strict"], let delay = members["membership_delay"]?.number,
                let counters = World.Counters(members)
            else { return nil }
            // Earlier versions did not write down that services had ended.
            let hasEndedServices = members["ended_services"] == true
            self = .start(
                World.Settings(strict: strict, membershipDelay: delay, hasEndedServices: hasEndedServices), counters)
        case "token":
            guard let now = members["time"]?.number, let seconds = members["seconds"]?.number,
                let counters = World.Counters(members)
            else { return nil }
            self = .token(
                lasting: seconds,
                Occasion(now: Date(timeIntervalSinceReferenceDate: now), counters: counters, toldStatus: nil))
        case "change":
            guard let (method, target, now) = Self.call(members), let counters = World.Counters(members),
                let headers = members["headers"]?.object
            else { return nil }
            let fields = headers.compactMap { name, value in value.string.map { (name: name, value: $0) } }
            let body =
                members["body"]?.string.map { Array($0.utf8) }
                ?? members["body_base64"]?.string.flatMap { Data(base64Encoded: $0) }.map(Array.init)
            self = .change(
                Call(method, target, headers: fields, body: body),
                Occasion(now: now, counters: counters, toldStatus: members["status"]?.int.map(Int.init(clamping:))))
        case "request":
            guard let (method, target, now) = Self.call(members) else { return nil }
            self = .request(
                Call(method, target), status: members["status"]?.int.map(Int.init(clamping:)), at: now)
        default: return nil
        }
    }

    private static func call(_ members: [String: JSONValue]) -> (method: String, target: String, now: Date)? {
        guard let method = members["method"]?.string, let target = members["target"]?.string,
            let seconds = members["time"]?.number
        else { return nil }
        return (method, target, Date(timeIntervalSinceReferenceDate: seconds))
    }
}

extension JSONLine {
    fileprivate mutating func add(_ call: Call, at now: Date, status: Int?) {
        add("time", at: now)
        add("method", call.method)
        add("target", call.target)
        add("status", status)
    }

    /// The shortest decimal text that gives the same `Date` again.
    fileprivate mutating func add(_ name: String, at now: Date) {
        add(name, document: String(now.timeIntervalSinceReferenceDate).utf8)
    }

    fileprivate mutating func add(_ counters: World.Counters) {
        add("deliveries", counters.deliveries)
        add("opaque", counters.opaque)
    }
}

extension World.Counters {
    fileprivate init?(_ members: [String: JSONValue]) {
        guard let deliveries = members["deliveries"]?.int, let opaque = members["opaque"]?.int else { return nil }
        self.init(deliveries: Int(clamping: deliveries), opaque: Int(clamping: opaque))
    }
}

extension JSONValue {
    fileprivate var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
