internal import FCM

/// Carries out what a step asks for, one effect after the other, and tells the step the result. All waiting for a step
/// happens here.
struct StepShell<C: Clock> where C.Duration == Duration {
    let surroundings: Executor<C>.Surroundings
    let runBegin: C.Instant
    /// The campaign that a person may pause to stop the step.
    let campaign: String?
    /// What is too late and has this step.
    let missed: Plan.Missed?
    private let inbox = Inbox()

    private enum Signal: Sendable {
        case answers
        case time(Duration)
        case halt
    }

    /// The child tasks that will already end a wait.
    private struct Sentries {
        var isListening = false
        /// The earliest time that a child task sleeps until.
        var time: Duration?
    }

    init(
        _ surroundings: Executor<C>.Surroundings, runBegin: C.Instant, campaign: String? = nil,
        missed: Plan.Missed? = nil
    ) {
        self.surroundings = surroundings
        self.runBegin = runBegin
        self.campaign = campaign
        self.missed = missed
    }

    /// Returns `true` when the step is over, `false` when it has yielded.
    ///
    /// - Parameters:
    ///   - meanwhile: called before each event, for what other processes go on with.
    ///   - observe: called with the step's report about once a second.
    func run<Step: DecidingStep>(
        _ step: inout Step, _ context: inout RunContext, meanwhile: (Moment, inout RunContext) -> Void = { _, _ in },
        observe: (Step.Account) async -> Void = { _ in }
    ) async -> Bool {
        await withTaskGroup(of: Signal.self) { group in
            defer { group.cancelAll() }
            let (halt, sender) = (surroundings.halt, surroundings.sender)
            group.addTask {
                await halt()
                // The step may be waiting for a token or a connection.
                if !Task.isCancelled { await sender.withdraw() }
                return .halt
            }
            var sentries = Sentries()
            var event = StepEvent.begun
            var lastObserved = now.elapsed
            while true {
                let now = now
                context.stop = surroundings.stop()
                if let view = surroundings.crew?.view() { context.follow(view, at: now.elapsed) }
                meanwhile(now, &context)
                let effect = step.handle(event, at: now, &context)
                surroundings.tell(step.takeNews(), of: step.id)
                tellCrew(of: step, context)
                switch effect {
                case .yield: return false
                case .finish: return true
                case .wait(let instant, let answers):
                    if now.elapsed - lastObserved >= .seconds(1) {
                        lastObserved = now.elapsed
                        await observe(step.report)
                    }
                    if answers > 0 { listen(for: answers, &sentries, in: &group) }
                    // What others did may concern another step, and so may a request to stop.
                    let look = context.isHelped ? now.elapsed + Self.patience : nil
                    if let instant = [instant, look].compactMap(\.self).min() {
                        sleep(until: instant, from: now, &sentries, in: &group)
                    }
                    event = await wait(&sentries, in: &group)
                default: event = await carryOut(effect)
                }
            }
        }
    }

    /// Between two looks at what others do.
    private static var patience: Duration { .milliseconds(250) }

    private var now: Moment { surroundings.moment(since: runBegin) }

    private func tellCrew(of step: some DecidingStep, _ context: RunContext) {
        guard let crew = surroundings.crew, let share = context.crew?.share else { return }
        if context.isEnding { crew.dismiss(nil) }
        if let part = step.part { crew.note(part.tally, in: part.job) }
        if !step.isGranting { crew.adopt(share, wants: step.wantsStarts) }
    }

    private func carryOut(_ effect: StepEffect) async -> StepEvent {
        switch effect {
        case .lookForPauses:
            guard let campaign else { return .looked(isPaused: false) }
            return .looked(isPaused: (try? await surroundings.store.pauses())?.include(campaign) ?? false)
        case .prepare:
            await surroundings.sender.prepare()
            return .prepared
        case .read(let recipients):
            do {
                return .read(recipients.isEmpty ? [:] : try await surroundings.store.registrations(of: recipients))
            } catch { return .storeFailed(StateError.reason(error)) }
        case .readRows(let recipients):
            do { return .readRows(try rows(of: recipients)) } catch { return .storeFailed(error.reason) }
        case .findOthers(let recipients, let formers):
            let found = await surroundings.others.find(recipients)
            do {
                let known = formers.isEmpty ? [:] : try await surroundings.store.registrations(of: formers)
                return .foundOthers(found, formers: known)
            } catch { return .storeFailed(StateError.reason(error)) }
        case .commit(let changes):
            do {
                if !changes.isEmpty { try await surroundings.commit(changes, ending: found(with: changes)) }
                return .committed
            } catch { return .storeFailed(StateError.reason(error)) }
        case .share(let send, let members):
            var reader: RowReader?
            if send.content.differsByRecipient { reader = { try rows(of: $0) } }
            return await asking { .shared(try await $0.share(send, to: members, rows: reader)) }
        case .claim(let job): return await asking { .claimed(try await $0.claim(in: job)) }
        case .leave(let job): return await leave(job)
        case .send(let departures):
            await surroundings.sender.start(
                departures.map { departure in
                    let asked = departure.asked
                    return Call(departure.request) { [inbox] in inbox.add(asked, $0) }
                })
            return .sent
        case .wait, .yield, .finish: preconditionFailure("the loop carries these out")
        }
    }

    /// What is too late and is not found again after the changes: the step ends it, begins one that stays
    /// open, or skips people of it.
    private func found(with changes: [StateChange]) -> [Plan.Missed] {
        guard let missed, changes.contains(where: { $0.dealtWith == missed.occurrence }) else { return [] }
        return [missed]
    }

    private func asking(_ body: (any Crew) async throws -> StepEvent) async -> StepEvent {
        guard let crew = surroundings.crew else { preconditionFailure("there is nobody to share with") }
        do { return try await body(crew) } catch {
            return .storeFailed((error as? UnreadableRows)?.reason ?? StateError.reason(error))
        }
    }

    private struct UnreadableRows: Error {
        let reason: String
    }

    private func rows(of recipients: RecipientSet) throws(UnreadableRows) -> [RecipientID: FieldValues] {
        do { return try campaign.map { try surroundings.rows($0, recipients) } ?? [:] } catch {
            throw UnreadableRows(reason: "the rows of the recipients cannot be read: \(error)")
        }
    }

    /// Waits for the others, unless somebody asks to stop at once.
    func leave(_ job: JobID) async -> StepEvent {
        await withTaskGroup(of: StepEvent?.self) { group in
            let halt = surroundings.halt
            group.addTask {
                await halt()
                return nil
            }
            group.addTask { await asking { .settled(try await $0.leave(job)) } }
            while let event = await group.next() {
                group.cancelAll()
                if let event { return event }
            }
            preconditionFailure("one of the tasks returns an event")
        }
    }

    // MARK: Waiting

    private func listen(for answers: Int, _ sentries: inout Sentries, in group: inout TaskGroup<Signal>) {
        inbox.expect(answers)
        guard !sentries.isListening else { return }
        sentries.isListening = true
        let inbox = inbox
        group.addTask {
            await inbox.wait()
            return .answers
        }
    }

    private func sleep(
        until instant: Duration, from now: Moment, _ sentries: inout Sentries, in group: inout TaskGroup<Signal>
    ) {
        if let time = sentries.time, time <= instant { return }
        sentries.time = instant
        let clock = surroundings.clock
        let wait = instant - now.elapsed
        group.addTask {
            try? await clock.sleep(for: wait)
            return .time(instant)
        }
    }

    private func wait(_ sentries: inout Sentries, in group: inout TaskGroup<Signal>) async -> StepEvent {
        switch await group.next() {
        case .answers: sentries.isListening = false
        case .time(let instant): if sentries.time == instant { sentries.time = nil }
        case .halt where !Task.isCancelled:
            // For calls that the step has started since.
            await surroundings.sender.withdraw()
            return .halted(inbox.take())
        case .halt, nil: break
        }
        return .woke(inbox.take())
    }
}

extension Executor.Surroundings {
    /// Reads both clocks.
    func moment(since begin: C.Instant) -> Moment {
        Moment(elapsed: begin.duration(to: clock.now), date: now())
    }

    /// Commits changes together with what the state notes for people of what is not found too late again after them.
    func commit(_ changes: [StateChange], ending missed: [Plan.Missed]) async throws {
        let notes = missed.isEmpty ? [] : try await news(missed, changes)
        if !changes.isEmpty || !notes.isEmpty { try await store.commit(changes + notes) }
    }

    func tell(_ news: [StepNews], of step: StepID) {
        for news in news {
            switch news {
            case .failure(let failure): note(step.rawValue, failure)
            case .receipt(let registration, let id, let text):
                receive?(Receipt(step: step.rawValue, registration: registration, messageID: id, text: text))
            case .pause(let job, let length): crew?.pause(job, for: length)
            case .dismissal(let job): crew?.dismiss(job)
            }
        }
    }
}
