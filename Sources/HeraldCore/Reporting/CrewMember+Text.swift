internal import FCM

extension CrewMember {
    var json: JSONValue {
        [
            "role": isConductor ? "run" : "worker", "host": .string(host), "process": .int(pid),
            "since": .string(since.rfc3339), "occurrence": occurrence.map { .string($0) } ?? .null,
            "claimed": .int(Int64(claimed)), "done": .int(Int64(settled)), "rate": rateJSON,
        ]
    }

    private var rateJSON: JSONValue {
        guard occurrence != nil, let rate else { return .null }
        return if case .limited(let limit) = rate { .int(Int64(limit)) } else { "unlimited" }
    }

    /// One line for a terminal. The name of the other machine may hold any characters.
    package var text: String {
        let name = host.filter { $0.isASCII && $0 > " " }
        var text = "\(isConductor ? "run" : "worker") (process \(pid) on \(name)) since \(since.rfc3339)"
        guard let occurrence else { return text + (isConductor ? "" : ", waiting") }
        text += ", \(occurrence): \(settled.grouped) of \(claimed.grouped) done"
        if case .limited(let limit)? = rate { text += ", at most \(limit.grouped) a second" }
        return text
    }
}

extension StateSnapshot {
    /// Whether a run was at work, and not only workers that wait for one.
    package var isRunning: Bool { workers?.contains { !$0.hasPrefix("worker ") } ?? false }
}
