internal import FCM

/// Asks FCM which topics registrations follow. It keeps a limited number of questions under way, within the rate of
/// memberships, and writes who was asked for in blocks as answers come.
///
/// A question changes nothing, so nothing is written before it. After a crash those are asked for again whose answers were
/// not written: those of the last moment, and those of whom only the report would have told.
struct SurveyState: DecidingStep {
    enum Stage {
        case new
        case preparing
        case reading(RecipientSet, granted: Int)
        case sending
        case writing
        case waiting
        /// Writes what is left before it ends.
        case closing
        case ended
    }

    let id = StepID(rawValue: "survey")
    let survey: Survey
    var stage = Stage.new
    var report: SurveyReport
    var queue: SurveyQueue
    var calls = PacedCalls(.memberships, probesAPI: true)
    var unwritten = Unwritten()
    /// The pages that came of lists with several.
    var pages: [RecipientID: Pages] = [:]
    var suspicions = Suspicions()
    /// Whether FCM has told of anybody which topics they follow.
    var hasAnswered = false
    /// Those of the survey's witnesses of whom nothing came yet. `nil` before they are asked.
    var witnesses: RecipientSet?
    /// Those who differ in a way that only the report tells. It is written when the call ends: after a crash nobody would
    /// hear of them.
    var untold = Unwritten()
    private var began: Duration = .zero
    /// When answers were written last.
    private var written: Duration = .zero

    /// What the state does not have yet.
    struct Unwritten {
        var asked = RecipientSet()
        /// Who has left topics, or follows the one that is taken in.
        var changed: [TopicName: RecipientSet] = [:]

        var isEmpty: Bool { asked.isEmpty }

        mutating func add(_ other: Unwritten) {
            asked.formUnion(other.asked)
            for (topic, members) in other.changed { changed[topic, default: []].formUnion(members) }
        }
    }

    /// The topics on the pages of one list so far.
    struct Pages {
        var topics: Set<TopicName> = []
        /// Where the next page begins. It has an end if no place comes twice.
        var marks: [SubscriptionPage.Mark] = []
    }

    /// Answers are written together: from so many on, or after this time.
    private static let (commitSize, commitTime) = (2048, Duration.milliseconds(100))

    init(_ survey: Survey) {
        self.survey = survey
        report = SurveyReport(planned: survey.count)
        queue = SurveyQueue(survey.groups)
    }

    mutating func takeNews() -> [StepNews] { [] }

    private var isOver: Bool { report.end != nil || queue.isEmpty }

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect {
        calls.noteWaking(at: now)
        switch (stage, event) {
        case (.new, .begun):
            began = now.elapsed
            if let reason = context.whyEnded(context.topics) { report.stop(.impossible(reason)) }
        case (.preparing, .prepared): return reserve(now, &context)
        case (.reading(let ids, let granted), .read(let found)):
            add(ids, found)
            return start(granted, now, &context)
        case (.sending, .sent): break
        case (.writing, .committed): unwritten = Unwritten()
        case (.waiting, .woke(let answers)): take(answers, now, &context)
        case (.waiting, .halted(let answers)):
            take(answers, now, &context)
            report.stop(.interrupted)
            // Nothing depends on the answers that are still to come.
            calls.inFlight = .init()
        case (.closing, .committed): return finish(now)
        case (.closing, .storeFailed(let reason)):
            report.stop(.impossible(reason))
            return finish(now)
        case (_, .storeFailed(let reason)):
            report.stop(.impossible(reason))
            unwritten = Unwritten()
        default: preconditionFailure("the event does not answer what was asked for")
        }
        return goOn(now, &context)
    }

    mutating func goOn(_ now: Moment, _ context: inout RunContext) -> StepEffect {
        if let effect = startSome(now, &context) { return effect }
        let isDue = now.elapsed - written >= Self.commitTime
        if unwritten.asked.count >= Self.commitSize || isDue && !unwritten.isEmpty {
            stage = .writing
            written = now.elapsed
            return .commit(changes)
        }
        if calls.inFlight.isEmpty, isOver {
            // With a small budget, all of them may be dead.
            if report.end == nil, !hasAnswered, !report.figures.dead.isEmpty { askWitnesses() }
            if !isOver { return goOn(now, &context) }
            calls.endWaiting()
            noteUntold()
            stage = .closing
            return .commit(changes)
        }
        if !unwritten.isEmpty { calls.wake(after: Self.commitTime, now) }
        stage = .waiting
        return .wait(until: calls.wakeAt, answers: answersNeeded(now, context))
    }

    private mutating func finish(_ now: Moment) -> StepEffect {
        report.duration = now.elapsed - began
        stage = .ended
        return .finish
    }

    // MARK: Asking

    private mutating func startSome(_ now: Moment, _ context: inout RunContext) -> StepEffect? {
        guard !isOver else { return nil }
        if context.stop != nil {
            report.stop(.interrupted)
            return nil
        }
        if let time = survey.time, now.elapsed - began >= time { queue.dropFresh(except: suspicions.contains) }
        guard calls.limit(context) - calls.inFlight.requests >= calls.blockNeeded(context) else { return nil }
        queue.ripen(at: now.elapsed)
        guard queue.readyCount > 0 else {
            if let next = queue.nextReady { calls.wake(after: next - now.elapsed, now) }
            return nil
        }
        let rest = calls.restsUntil - now.elapsed
        if rest > .zero {
            if rest > context.options.retry.horizon || rest > Self.longestRest && isOverBudget(at: now.elapsed + rest) {
                report.stop(.impossible("FCM asks to be left alone for \(rest.components.seconds) s"))
            } else {
                calls.wake(after: rest, now)
            }
            return nil
        }
        stage = .preparing
        return .prepare
    }

    /// It waits for that long beyond its budget of time, where FCM asks to be left alone.
    private static let longestRest = Duration.seconds(60)

    /// Whether the budget of time is over by then, with what second questions wait.
    func isOverBudget(at instant: Duration) -> Bool {
        survey.time.map { instant - began >= $0 + survey.settle } ?? false
    }

    private mutating func reserve(_ now: Moment, _ context: inout RunContext) -> StepEffect {
        if context.stop != nil { return goOn(now, &context) }
        let free = calls.limit(context) - calls.inFlight.requests
        let (granted, wait) = calls.reserve(min(free, queue.readyCount), at: now, &context)
        if wait > .zero { calls.rest(for: max(wait, RateLimiter.minimumWait), at: now) }
        guard granted > 0 else { return goOn(now, &context) }
        if let missing = queue.missing(for: granted) {
            stage = .reading(missing, granted: granted)
            return .read(missing)
        }
        return start(granted, now, &context)
    }

    /// The state may have lost a registration since, because a person erased it.
    private mutating func add(_ ids: RecipientSet, _ found: [RecipientID: Registration]) {
        var addressees: [Addressee] = []
        for id in ids {
            if let registration = found[id] {
                addressees.append(Addressee(id: id, registration: registration))
            } else {
                suspicions.remove(id)
                fail(id, Failure(.noRegistration, message: "the state knows no registration"))
            }
        }
        queue.add(addressees)
    }

    private mutating func start(_ granted: Int, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        let block = Inbox.Block(queue.take(granted), started: now)
        var departures: [StepEffect.Departure] = []
        var recipients = RecipientSet()
        for (place, addressee) in block.addressees.enumerated() {
            guard let query = query(for: addressee, context) else { continue }
            recipients.insert(addressee.id)
            let asked = Inbox.Asked(
                block: block, places: place..<(place + 1), serial: context.window.start())
            departures.append(.init(request: .read(query), asked: asked))
        }
        if departures.isEmpty { return goOn(now, &context) }
        calls.start(departures.count, for: recipients, granted: departures.count, at: now, &context)
        report.requests += departures.count
        stage = .sending
        return .send(departures)
    }

    /// The question for a registration, or for the next page of its list.
    func query(for addressee: Addressee, _ context: RunContext) -> Query? {
        addressee.registration.map { registration in
            context.topics == .iid
                ? .information(about: registration)
                : .subscriptions(of: registration, after: pages[addressee.id]?.marks.last)
        }
    }

    private func answersNeeded(_ now: Moment, _ context: RunContext) -> Int {
        guard !calls.inFlight.isEmpty else { return 0 }
        let isWakeNear = calls.wakeAt.map { $0 - now.elapsed <= RateLimiter.minimumWait * 2 } ?? false
        let missing =
            isWakeNear
            ? calls.inFlight.requests
            : queue.hasFresh ? calls.blockNeeded(context) - (calls.limit(context) - calls.inFlight.requests) : 1
        return max(1, min(missing, calls.inFlight.requests))
    }

    // MARK: Writing

    private var changes: [StateChange] {
        var changes: [StateChange] = []
        for (topic, members) in unwritten.changed.sorted(by: { $0.key < $1.key }) {
            switch survey.purpose {
            case .comparison(records: false): break
            case .comparison: changes.append(.reclassify(topic, members, .left))
            case .taking(_, let reclassification): changes.append(.reclassify(topic, members, reclassification))
            }
        }
        if !unwritten.asked.isEmpty { changes.append(.observed(unwritten.asked, at: survey.noted)) }
        return changes
    }

    /// Nobody is noted as asked for because of an answer that is not believed.
    private mutating func noteUntold() {
        unwritten.add(untold)
        if report.figures.answered > 0 { unwritten.asked.formUnion(report.figures.dead) }
    }
}
