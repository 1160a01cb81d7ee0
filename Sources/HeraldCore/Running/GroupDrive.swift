internal import FCM

/// Carries out one change of a device group: one call, and what its answer asks for besides. All calls may be repeated.
struct GroupDrive<C: Clock> where C.Duration == Duration {
    typealias Options = Executor<C>.Options
    typealias Surroundings = Executor<C>.Surroundings

    let change: Plan.GroupChange
    let options: Options
    let surroundings: Surroundings
    /// As the state had it before the step.
    var group: RecordedGroup
    /// Whether the state has an entry for the group: then it is herald's, answered or not.
    var isRecorded: Bool
    var budget: RateBudget
    var hasSucceeded: Bool
    var step: StepReport
    var random: any RandomNumberGenerator & Sendable
    /// Why nothing else of the run need be tried.
    var fatal: String?
    var isUnreachable = false
    var wasBlocked = false
    var wasInterrupted = false
    /// When something more urgent comes; the next run goes on then.
    var leaveAt: Date?
    /// What it made of the state.
    private(set) var written: [StateChange] = []
    let runBegin: C.Instant

    private var registrations: [RecipientID: Registration] = [:]
    /// Whether a call went out that may have made the group.
    private var mayHaveCreated = false
    private var isOurs: Bool { isRecorded || mayHaveCreated }

    init(
        _ change: Plan.GroupChange, options: Options, surroundings: Surroundings, group: RecordedGroup?,
        budget: RateBudget,
        hasSucceeded: Bool, step: StepReport, runBegin: C.Instant
    ) {
        self.change = change
        self.options = options
        self.surroundings = surroundings
        self.group = group ?? RecordedGroup()
        isRecorded = group != nil
        self.budget = budget
        self.hasSucceeded = hasSucceeded
        self.step = step
        self.runBegin = runBegin
        random = surroundings.random
    }

    mutating func run() async -> StepReport {
        let begin = surroundings.clock.now
        do {
            try await carryOut()
        } catch {
            if change.action == .create, !isOurs, !error.isOfState { try? await commit([.drop(.group(change.group))]) }
            switch error {
            case .stopped(let reason): step.stop(reason)
            case .interrupted:
                wasInterrupted = true
                step.stop(StepReport.interruption)
            case .state(let reason):
                fatal = fatal ?? reason
                step.stop(reason)
            }
        }
        step.duration += begin.duration(to: surroundings.clock.now)
        return step
    }

    /// Why a change ends before its end.
    private enum Ending: Error {
        case stopped(String)
        case interrupted
        /// It cannot be written or read, for this reason.
        case state(String)

        var isOfState: Bool { if case .state = self { true } else { false } }
    }

    private mutating func carryOut() async throws(Ending) {
        do {
            registrations = try await surroundings.store.registrations(of: change.members)
        } catch {
            throw .state(StateError.reason(error))
        }
        switch change.action {
        case .create: try await create(change.members)
        case .add: try await add(change.members)
        case .remove, .delete: try await remove()
        }
    }

    // MARK: The changes

    private mutating func create(_ members: RecipientSet) async throws(Ending) {
        // The intent shows the next run that a group of this name is ours, should the answer be lost.
        try await commit([.groupMembers(change.group, members, .adding)])
        switch try await call(.create(change.group, listed(members))) {
        case .done(let key): try await keep(key, members)
        case .alreadyExists:
            guard isOurs || options.overrides.allow(.foreignGroup, for: change.group.rawValue)
            else {
                refuse()
                throw .stopped(
                    "guard foreign_group: group '\(change.group)' exists at FCM and herald did not make it "
                        + "(--override foreign_group=\(change.group))")
            }
            group.key = try await retrieve()
            try await commit([.groupKey(change.group, group.key)])
            try await add(members)
        case .noValidRegistrations(let failure):
            try await commit([.drop(.group(change.group))])
            try await forgetDead(members, failure)
        case .notFound(let failure), .nameMismatch(let failure), .rejected(let failure):
            if !isOurs { try await commit([.drop(.group(change.group))]) }
            reject(members, failure)
        case .again, .unauthenticated, .stop: break
        }
    }

    private mutating func add(_ members: RecipientSet) async throws(Ending) {
        try await commit([.groupMembers(change.group, members.subtracting(group.members), .adding)])
        let key = try await currentKey()
        guard let key else { return try await recreate(with: members) }
        switch try await call(.add(change.group, key, listed(members))) {
        case .done(let key): try await keep(key, members)
        case .notFound: try await recreate(with: members)
        case .nameMismatch(let failure):
            guard let retrieved = try await retrieve() else { return try await recreate(with: members) }
            switch try await call(.add(change.group, retrieved, listed(members))) {
            case .done(let key): try await keep(key, members)
            default: reject(members, failure)
            }
        case .noValidRegistrations(let failure): try await forgetDead(members, failure)
        case .alreadyExists(let failure), .rejected(let failure):
            // Who was asked for before this run may be a member through us, whatever this attempt came to.
            let fresh = members.subtracting(group.members).subtracting(group.adding)
            try await commit([.groupMembers(change.group, fresh, nil)])
            reject(members, failure)
        case .again, .unauthenticated, .stop: break
        }
    }

    /// FCM has forgotten the group: it is made anew, with those it had.
    private mutating func recreate(with members: RecipientSet) async throws(Ending) {
        let all = members.union(group.members)
        do {
            registrations.merge(try await surroundings.store.registrations(of: all)) { known, _ in known }
        } catch { throw .state(StateError.reason(error)) }
        switch try await call(.create(change.group, listed(all))) {
        case .done(let key):
            try await commit([.groupMembers(change.group, all, .member)])
            try await keep(key, members)
        case .noValidRegistrations(let failure):
            try await commit([.drop(.group(change.group))])
            try await forgetDead(members, failure)
        case .alreadyExists(let failure):
            // Made by a call whose answer was lost, or there all along under another key.
            guard let key = try await retrieve(),
                case .done(let last) = try await call(.add(change.group, key, listed(all)))
            else { return reject(members, failure) }
            try await commit([.groupMembers(change.group, all, .member)])
            try await keep(last, members)
        case .notFound(let failure), .nameMismatch(let failure), .rejected(let failure): reject(members, failure)
        case .again, .unauthenticated, .stop: break
        }
    }

    private mutating func remove() async throws(Ending) {
        guard let key = try await currentKey() else { return try await vanish() }
        switch try await call(.remove(change.group, key, listed(change.members))) {
        case .done(let key): try await leave(key)
        case .notFound: try await vanish()
        case .nameMismatch(let failure):
            guard let retrieved = try await retrieve() else { return try await vanish() }
            switch try await call(.remove(change.group, retrieved, listed(change.members))) {
            case .done(let key): try await leave(key)
            default: reject(change.members, failure)
            }
        // Nobody of them is a member any more, which is what was wanted.
        case .noValidRegistrations: try await leave(key)
        case .alreadyExists(let failure), .rejected(let failure): reject(change.members, failure)
        case .again, .unauthenticated, .stop: break
        }
    }

    // MARK: What comes of them

    private mutating func keep(_ key: NotificationKey, _ members: RecipientSet) async throws(Ending) {
        group.key = key
        try await commit([.groupKey(change.group, key), .groupMembers(change.group, members, .member)])
        accept(members)
    }

    private mutating func leave(_ key: NotificationKey) async throws(Ending) {
        group.key = key
        try await commit(
            change.action == .delete
                ? [.drop(.group(change.group))]
                : [.groupKey(change.group, key), .groupMembers(change.group, change.members, nil)])
        accept(change.members)
    }

    /// There is no such group at FCM: nobody is in it, and the next plan makes it anew if it is wanted.
    private mutating func vanish() async throws(Ending) {
        try await commit([.drop(.group(change.group))])
        accept(change.members)
    }

    private mutating func accept(_ members: RecipientSet) {
        hasSucceeded = true
        step.accepted += members.count
    }

    private mutating func refuse() {
        wasBlocked = true
        step.held += step.pending
    }

    private mutating func reject(_ members: RecipientSet, _ failure: Failure) {
        step.rejected += members.count
        for id in members { note(id, failure, .rejected) }
    }

    /// FCM knows none of them any more. It is believed once it has shown in this run that it hears us rightly.
    private mutating func forgetDead(_ members: RecipientSet, _ failure: Failure) async throws(Ending) {
        let limit = options.guards.maxForgetPercent
        if members.count >= 10, limit < 100, !options.overrides.allow(.maxForgetPercent, for: step.id.rawValue) {
            refuse()
            throw .stopped(
                "guard max_forget_percent: all \(members.count) registrations look dead, more than \(limit) % "
                    + "(--override max_forget_percent=\(step.id))")
        }
        step.rejected += members.count
        if hasSucceeded {
            try await commit([.forget(members)])
            step.forgotten += members.count
        }
        for id in members { note(id, failure, hasSucceeded ? .forgotten : .kept) }
    }

    private mutating func note(_ id: RecipientID, _ failure: Failure, _ action: Report.Failure.Action) {
        let registration = registrations[id]
        let entry = Report.Failure(
            registration: registration.map { surroundings.fingerprints.name($0) }, code: failure.code,
            httpStatus: failure.httpStatus,
            message: registration.map { surroundings.fingerprints.redact(failure.message, $0) } ?? failure.message,
            attempts: 1, action: action)
        surroundings.note(step.id.rawValue, entry)
        step.add(entry)
    }

    // MARK: Calls

    private func listed(_ members: RecipientSet) -> [Registration] { members.compactMap { registrations[$0] } }

    /// The recorded key, or one that FCM gives for the name; `nil` where there is no such group.
    private mutating func currentKey() async throws(Ending) -> NotificationKey? {
        if let key = group.key { return key }
        return try await retrieve()
    }

    private mutating func retrieve() async throws(Ending) -> NotificationKey? {
        switch try await call(.retrieve(change.group)) {
        case .done(let key): return key
        case .notFound, .again, .unauthenticated, .stop: return nil
        // It says nothing of the group.
        case .alreadyExists(let failure), .noValidRegistrations(let failure), .nameMismatch(let failure),
            .rejected(let failure):
            throw .stopped("\(failure.code): \(failure.message)")
        }
    }

    /// Repeats a call until its answer says something of the group.
    private mutating func call(_ operation: GroupOperation) async throws(Ending) -> GroupVerdict {
        var caller = GroupCaller(options: options, surroundings: surroundings, budget: budget, runBegin: runBegin)
        caller.random = random
        caller.leaveAt = leaveAt
        defer {
            (budget, random) = (caller.budget, caller.random)
            step.retries += caller.retries
            if case .create = operation, caller.mayHaveTakenEffect { mayHaveCreated = true }
        }
        switch await caller.call(operation) {
        case .answered(let verdict):
            if case .stop(let failure) = verdict { throw .stopped("\(failure.code): \(failure.message)") }
            if case .unauthenticated(let failure) = verdict { throw .stopped("\(failure.code): \(failure.message)") }
            return verdict
        case .interrupted: throw .interrupted
        case .gaveUp(let failure): throw .stopped("\(failure.code): \(failure.message)")
        case .unreachable(let failure):
            isUnreachable = true
            fatal = "the endpoint cannot be reached: \(failure.message)"
            throw .stopped(fatal ?? "")
        }
    }

    private mutating func commit(_ changes: [StateChange]) async throws(Ending) {
        do { try await surroundings.store.commit(changes) } catch { throw .state(StateError.reason(error)) }
        written += changes
    }
}

/// Makes one call about a group, as often as it takes.
struct GroupCaller<C: Clock> where C.Duration == Duration {
    let options: Executor<C>.Options
    let surroundings: Executor<C>.Surroundings
    var budget: RateBudget
    var random: any RandomNumberGenerator & Sendable
    /// Nothing is waited for beyond that.
    var leaveAt: Date?
    private let runBegin: C.Instant
    private(set) var retries = 0
    private(set) var mayHaveTakenEffect = false

    enum Result {
        case answered(GroupVerdict)
        case interrupted
        /// The server asks for more patience than a run has.
        case gaveUp(Failure)
        case unreachable(Failure)
    }

    init(
        options: Executor<C>.Options, surroundings: Executor<C>.Surroundings, budget: RateBudget, runBegin: C.Instant
    ) {
        self.options = options
        self.surroundings = surroundings
        self.budget = budget
        self.runBegin = runBegin
        random = surroundings.random
    }

    mutating func call(_ operation: GroupOperation) async -> Result {
        let begin = surroundings.clock.now
        var attempt = 0
        var wasUnauthenticated = false
        var unanswered = 0
        while true {
            while true {
                let wait = budget.reserve(1, at: runBegin.duration(to: surroundings.clock.now))
                if wait.granted > 0 { break }
                guard isWorthWaiting(wait.wait) else {
                    return .gaveUp(Failure(.retryLater, message: "FCM asks to be left alone"))
                }
                guard await nap(wait.wait) else { return .interrupted }
            }
            if surroundings.stop() != nil { return .interrupted }
            guard let exchange = await exchange(operation) else { return .interrupted }
            attempt += 1
            if case .response = exchange { unanswered = 0 } else { unanswered += 1 }
            if case .lost = exchange { mayHaveTakenEffect = true }
            let verdict = GroupVerdict(exchange, for: operation)
            switch verdict {
            case .unauthenticated where !wasUnauthenticated:
                wasUnauthenticated = true
            case .again(let failure, let asked):
                if asked.effect == .idempotent { mayHaveTakenEffect = true }
                let decision = options.retry.decide(
                    asked, attempt: attempt, unanswered: unanswered,
                    elapsed: begin.duration(to: surroundings.clock.now), now: surroundings.now().timeIntervalSince1970,
                    using: &random)
                switch decision {
                case .wait(_, _, isTooLong: true): return .gaveUp(failure)
                case .wait(let wait, let pause, _):
                    guard isWorthWaiting(wait) else { return .gaveUp(failure) }
                    if let pause { budget.pause(pause, at: runBegin.duration(to: surroundings.clock.now)) }
                    guard await nap(wait) else { return .interrupted }
                case .unreachable: return .unreachable(failure)
                }
            default: return .answered(verdict)
            }
            retries += 1
        }
    }

    /// `nil`: somebody did not want to wait for the answer.
    private func exchange(_ operation: GroupOperation) async -> Exchange? {
        let (sender, halt) = (surroundings.sender, surroundings.halt)
        return await withTaskGroup(of: Exchange?.self) { group in
            group.addTask { await sender.exchange(.group(operation)) }
            group.addTask {
                await halt()
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func isWorthWaiting(_ wait: Duration) -> Bool {
        wait <= options.retry.horizon && leaveAt.map { surroundings.now().adding(wait) < $0 } ?? true
    }

    /// In short waits, so that a request to end is heard. `false`: it was.
    private func nap(_ wait: Duration) async -> Bool {
        var left = wait
        while left > .zero {
            if surroundings.stop() != nil { return false }
            let nap = min(left, .seconds(1))
            try? await surroundings.clock.sleep(for: nap)
            left -= nap
        }
        return surroundings.stop() == nil
    }
}
