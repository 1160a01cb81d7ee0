package import FCM

/// What happens in a run, as it happens: one `herald.event/1` after the other. They name no registration and no text.
package struct RunEvents: Sendable {
    private let run: String
    /// How many there were.
    private var number = 0
    private var told: [StepID: Told] = [:]
    /// The step that began last.
    private var current: StepID?
    private var last: Report?

    private struct Told {
        var figures: [Int]
        var progress: Date
        var isHalted = false
        var held: Int
    }

    /// The least time between two figures of one step, in seconds.
    private static let pause: Double = 1

    package init(run: String) { self.run = run }

    /// What a run is about to do, before anything of it starts.
    package mutating func plan(_ report: Report, held: [Plan.Held], at now: Date) -> [JSONValue] {
        note(report, at: now)
            + held.map { held in
                event(
                    "held", at: now,
                    [
                        "occurrence": .string(held.occurrence.rawValue), "reason": .string(held.reason),
                        "recipients": .int(Int64(held.remaining)), "command": .string(held.command),
                    ])
            }
    }

    package mutating func begin(_ step: StepID, at now: Date) -> [JSONValue] {
        current = step
        return [event("started", at: now, ["step": .string(step.rawValue)])]
    }

    /// - Parameters:
    ///   - report: as it is now.
    ///   - tellsProgress: `false` while nobody can be told how steps go on. The next figures make up for it.
    package mutating func note(_ report: Report, at now: Date, tellsProgress: Bool = true) -> [JSONValue] {
        last = report
        let fresh = report.steps.filter { told[$0.id] == nil }
        var events: [JSONValue] = []
        if told.isEmpty || !fresh.isEmpty {
            events.append(event("planned", at: now, ["steps": .array(fresh.map(Self.planned))]))
        }
        for step in fresh {
            told[step.id] = Told(figures: Self.figures(of: step), progress: now, held: step.isStanding ? step.held : 0)
        }
        for step in report.steps { events += note(step, at: now, isLast: false, tellsProgress: tellsProgress) }
        return events
    }

    /// - Parameter code: the exit code of the command.
    package mutating func finish(code: Int32, at now: Date) -> [JSONValue] {
        var events: [JSONValue] = []
        for step in last?.steps ?? [] { events += note(step, at: now, isLast: true, tellsProgress: true) }
        let summary = last.map { ReportDocument($0).summary.mapValues { JSONValue.int(Int64($0)) } }
        let result = last.map { $0.result == .running ? $0.outcome : $0.result }
        return events + [
            event(
                "finished", at: now,
                [
                    "exit_code": .int(Int64(code)), "result": result.map { .string($0.rawValue) } ?? .null,
                    "summary": summary.map { .object($0) } ?? .null,
                ])
        ]
    }

    private mutating func note(
        _ step: StepReport, at now: Date, isLast: Bool, tellsProgress: Bool
    ) -> [JSONValue] {
        guard var known = told[step.id] else { return [] }
        defer { told[step.id] = known }
        var events: [JSONValue] = []
        let figures = Self.figures(of: step)
        let isDue = now.timeIntervalSince(known.progress) >= Self.pause || step.pending == 0 || isLast
        let isWorthTelling =
            figures != known.figures ? isDue : step.id == current && isDue && step.pending > 0 && !isLast
        if tellsProgress, isWorthTelling {
            (known.figures, known.progress) = (figures, now)
            events.append(event("progress", at: now, Self.progress(of: step)))
        }
        if step.held > known.held {
            known.held = step.held
            events.append(
                event(
                    "held", at: now,
                    [
                        "step": .string(step.id.rawValue),
                        "occurrence": step.occurrence.map { .string($0) } ?? .null,
                        "reason": (step.note ?? step.stopped?.words).map { .string($0) } ?? .null,
                        "recipients": .int(Int64(step.held)),
                    ]))
        }
        if let stopped = step.stopped, !known.isHalted {
            known.isHalted = true
            events.append(
                event(
                    "halted", at: now,
                    ["step": .string(step.id.rawValue), "reason": .string(stopped.words)]))
        }
        return events
    }

    // MARK: Their form

    private mutating func event(_ name: String, at now: Date, _ members: [String: JSONValue]) -> JSONValue {
        number += 1
        let head: [String: JSONValue] = [
            "schema": "herald.event/1", "run": .string(run), "number": .int(Int64(number)),
            "time": .string(now.rfc3339), "event": .string(name),
        ]
        return .object(head.merging(members) { first, _ in first })
    }

    private static func figures(of step: StepReport) -> [Int] { StepReport.sums([step]).map(\.count) }

    private static func planned(_ step: StepReport) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(step.id.rawValue), "action": .string(step.action.rawValue),
            "planned": .int(Int64(step.planned)),
        ]
        members["occurrence"] = step.occurrence.map { .string($0) }
        return .object(members)
    }

    private static func progress(of step: StepReport) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["step": .string(step.id.rawValue)]
        for figure in StepReport.sums([step]) { members[figure.name] = .int(Int64(figure.count)) }
        return members
    }
}
