package import FCM

/// How a send travels: its version, and beside it exactly the members below. Who knows fewer of them, or more, would
/// send something else than the run, so that a process reads all of a send or nothing.
extension SharedSend {
    /// Whoever changes a member, what it means, or how `MessageContent` travels, raises it. Sends of heralds that wrote
    /// no version are not read.
    private static let version: JSONValue = 2

    private static var members: [JSONMember<SharedSend>] {
        [
            .init("campaign", \.campaign, .text), .init("occurrence", \.occurrence, .name()),
            .init("content", \.content, .content), .init("expiry", \.limits.expiry, JSONForm.date.orNull),
            .init("closing", \.limits.closing, JSONForm.date.orNull),
            .init("counting", \.counting, JSONForm.counting.orNull),
            .init("rate", \.delivery.rate, JSONForm.rate.orNull), .init("run_rate", \.runRate, .rate),
            .init("ramp", \.ramp, .duration), .init("ramped", \.ramped, .duration),
            .init("timeout", \.timeout, .duration),
            .init("stop_when_rejected_percent", \.delivery.stopWhenRejectedPercent, .percent),
            .init("on_error", \.delivery.onError, .name()), .init("on_unknown", \.delivery.onUnknown, .name()),
            .init("max_forget_percent", \.maxForgetPercent, .percent),
            .init("forgets_freely", \.forgetsFreely, .flag),
        ]
    }

    package var json: JSONValue {
        ["version": Self.version, "send": .object(Self.members.reduce(into: [:]) { $0[$1.key] = $1.write(self) })]
    }

    /// Reads what a conductor of this version wrote. `nil` if it is anything else.
    package init?(reading bytes: [UInt8]) {
        guard let json = try? JSONValue(strictly: bytes, depth: 100),
            let whole = json.members(["version", "send"]), whole["version"] == Self.version,
            let written = whole["send"]?.members(Set(Self.members.map(\.key)))
        else { return nil }
        var send = SharedSend(
            campaign: "", occurrence: OccurrenceID(rawValue: ""), content: MessageContent([:]),
            delivery: Campaign.Delivery(), limits: TimeLimits(), counting: nil, runRate: .unlimited, ramp: .zero,
            ramped: .zero,
            timeout: .zero, maxForgetPercent: 0, forgetsFreely: false)
        for member in Self.members {
            guard let value = written[member.key], member.read(value, &send) else { return nil }
        }
        self = send
    }
}

extension JSONValue {
    /// The members of an object that has all the required keys, and no other ones than these and the optional ones.
    func members(_ required: Set<String>, optional: Set<String> = []) -> [String: JSONValue]? {
        guard let members = object, required.isSubset(of: members.keys),
            members.keys.allSatisfy({ required.contains($0) || optional.contains($0) })
        else { return nil }
        return members
    }
}

/// A part of a value, as the member of a JSON object.
private struct JSONMember<Owner> {
    let key: String
    let write: (Owner) -> JSONValue
    /// Returns whether the member can be read.
    let read: (JSONValue, inout Owner) -> Bool

    init<Value>(_ key: String, _ part: WritableKeyPath<Owner, Value>, _ form: JSONForm<Value>) {
        self.key = key
        write = { form.write($0[keyPath: part]) }
        read = { json, owner in
            guard let value = form.read(json) else { return false }
            owner[keyPath: part] = value
            return true
        }
    }
}

/// How a value is written as JSON, and how that is read. `read` gives `nil` for anything that `write` does not make.
private struct JSONForm<Value> {
    let write: (Value) -> JSONValue
    let read: (JSONValue) -> Value?

    /// Nothing is null, so that it is neither a member that is missing nor one that cannot be read.
    var orNull: JSONForm<Value?> {
        .init(
            write: { value in value.map(write) ?? .null },
            read: { json in json == .null ? .some(nil) : read(json).map { .some($0) } })
    }
}

extension JSONForm<StartCounting> {
    static var counting: Self {
        .init(
            write: { ["tags": .array($0.tags.map { .string($0) }), "span": .int(Int64($0.span))] },
            read: { json in
                guard let parts = json.members(["tags", "span"]), let all = parts["tags"]?.array,
                    case .int(let span)? = parts["span"], span > 0, span <= 90 * 86_400
                else { return nil }
                let tags = all.compactMap(\.string)
                return tags.count == all.count ? StartCounting(tags: tags, span: Int(span)) : nil
            })
    }
}

extension JSONForm<String> {
    static var text: Self { .init(write: { .string($0) }, read: \.string) }
}

extension JSONForm where Value: RawRepresentable<String> {
    static func name() -> Self {
        .init(write: { .string($0.rawValue) }, read: { $0.string.flatMap(Value.init(rawValue:)) })
    }
}

extension JSONForm<Bool> {
    static var flag: Self {
        .init(write: { .bool($0) }, read: { if case .bool(let value) = $0 { value } else { nil } })
    }
}

extension JSONForm<Int> {
    static var percent: Self {
        .init(
            write: { .int(Int64($0)) }, read: { $0.int.flatMap { (0...100).contains($0) ? Int($0) : nil } })
    }
}

extension JSONForm<Rate> {
    static var rate: Self {
        .init(
            write: { if case .limited(let limit) = $0 { .int(Int64(limit)) } else { "unlimited" } },
            read: { json in
                if json == "unlimited" { return .unlimited }
                return json.int.flatMap { (1...1_000_000_000).contains($0) ? .limited(Int($0)) : nil }
            })
    }
}

extension JSONForm<Duration> {
    /// In milliseconds, at most some thirty years.
    static var duration: Self {
        .init(
            write: { .int(Int64($0.seconds * 1000)) },
            read: { $0.int.flatMap { (0...1_000_000_000_000).contains($0) ? .milliseconds($0) : nil } })
    }
}

extension JSONForm<Date> {
    /// Seconds since 1970, up to the year 9999.
    static var date: Self {
        .init(
            write: { .double($0.timeIntervalSince1970) },
            read: { json in
                let seconds: Double? =
                    switch json {
                    case .int(let value): Double(value)
                    case .double(let value): value
                    case .digits(let text): Double(text)
                    default: nil
                    }
                return seconds.flatMap {
                    (0..<253_402_300_800).contains($0) ? Date(timeIntervalSince1970: $0) : nil
                }
            })
    }
}

extension JSONForm<MessageContent> {
    static var content: Self { .init(write: \.travelling, read: MessageContent.init(travelling:)) }
}
