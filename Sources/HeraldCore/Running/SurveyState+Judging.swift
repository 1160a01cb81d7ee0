internal import FCM

/// What an answer means for the registration that was asked for, and for the survey.
extension SurveyState {
    /// Differences that were found once.
    struct Suspicions {
        private var members = RecipientSet()
        private var left: [TopicName: RecipientSet] = [:]
        private var foreign: [TopicName: RecipientSet] = [:]
        /// How often those were asked for that were asked for more than once.
        private var times: [RecipientID: Int] = [:]

        func contains(_ id: RecipientID) -> Bool { members.contains(id) }

        func difference(of id: RecipientID) -> SubscriptionDifference {
            guard members.contains(id) else { return SubscriptionDifference() }
            return SubscriptionDifference(
                left: Set(left.filter { $0.value.contains(id) }.keys),
                foreign: Set(foreign.filter { $0.value.contains(id) }.keys))
        }

        /// - Returns: How often the registration has differed in another way than before.
        mutating func note(_ id: RecipientID, _ difference: SubscriptionDifference) -> Int {
            let count = members.contains(id) ? times[id, default: 1] + 1 : 1
            remove(id)
            members.insert(id)
            if count > 1 { times[id] = count }
            for topic in difference.left { left[topic, default: []].insert(id) }
            for topic in difference.foreign { foreign[topic, default: []].insert(id) }
            return count
        }

        mutating func remove(_ id: RecipientID) {
            guard members.remove(id) else { return }
            times[id] = nil
            for topic in left.keys { left[topic]?.remove(id) }
            for topic in foreign.keys { foreign[topic]?.remove(id) }
        }
    }

    /// A registration that differs in another way each time is given up.
    private static let mostDifferences = 4
    /// One page has as many topics as a registration can have, so more are wrong.
    private static let mostPages = 100
    /// If the first ones are all dead, the project or the account is wrong.
    private static let tellingDead = 100

    mutating func take(_ answers: [Inbox.Answer], _ now: Moment, _ context: inout RunContext) {
        guard !calls.inFlight.isEmpty else { return }
        let limit = calls.limit(context)
        let isFull = calls.inFlight.requests >= limit - limit / 4
        for answer in answers {
            guard let addressee = answer.asked.addressees.first, let query = query(for: addressee, context) else {
                continue
            }
            calls.note(answer.exchange, at: now)
            calls.inFlight.recipients.remove(addressee.id)
            let verdict = ReadVerdict(answer.exchange, to: query, of: survey.project)
            let end = calls.measure(
                answer.exchange, to: answer.asked, isDeferral: verdict.isDeferral, isFull: isFull, at: now, &context)
            if let end { report.stop(.impossible(end)) }
            judge(addressee, verdict, now, &context)
        }
    }

    private mutating func judge(
        _ addressee: Addressee, _ verdict: ReadVerdict<SubscriptionPage>, _ now: Moment, _ context: inout RunContext
    ) {
        let id = addressee.id
        switch verdict {
        case .value(let page):
            calls.endProbing()
            hasAnswered = true
            context.noteSuccess(on: context.topics)
            if let mark = page.next { return turn(page, to: mark, addressee, now) }
            settle(id, (pages[id]?.topics ?? []).union(page.topics), now)
        case .dead:
            calls.endProbing()
            report.figures.countDead(id, of: survey.expected.topics(of: id))
            suspicions.remove(id)
            noteNoAnswer(of: id)
        case .rejected(let failure):
            calls.endProbing()
            fail(id, context.readable(failure, addressee))
        case .again(let failure, let asked):
            if tryAgain(addressee, failure, asked, now, &context) { return }
        case .unauthenticated where !queue.retries.wasUnauthenticated(id):
            report.retries += 1
            return queue.retries.putBack(addressee, now: now.elapsed, wasUnauthenticated: true)
        case .unavailable where context.mayFallBack && !context.hasSucceeded(on: context.topics):
            context.topicAPI = .iid
            report.retries += 1
            return queue.retries.putBack(addressee, now: now.elapsed)
        case .stop(let failure), .unauthenticated(let failure), .unavailable(let failure):
            let failure = context.readable(failure, addressee)
            report.stop(.impossible("\(failure.code): \(failure.message)"))
        }
        pages[id] = nil
        queue.retries.forget(id)
    }

    /// If none of the first ones answers, nor of those who answered last, the project or the account is wrong.
    private mutating func noteNoAnswer(of id: RecipientID) {
        witnesses?.remove(id)
        let dead = report.figures.dead.count
        guard !hasAnswered, dead >= Self.tellingDead else { return }
        askWitnesses()
        if witnesses?.isEmpty == true {
            report.stop(.impossible("FCM knows none of the first \(dead.grouped) registrations"))
        }
    }

    /// Asks those who answered last, once, and also beyond a budget: nobody else has answered.
    mutating func askWitnesses() {
        guard witnesses == nil else { return }
        let known = report.figures.asked.union(calls.inFlight.recipients)
        let fresh = RecipientSet(
            survey.witnesses.subtracting(known).filter { !queue.isAhead($0) && !queue.retries.knows($0) })
        report.planned += fresh.subtracting(survey.groups.reduce(into: []) { $0.formUnion($1) }).count
        queue.askFirst(fresh)
        witnesses = fresh
    }

    /// Asks for the next page, if there is an end to it.
    private mutating func turn(
        _ page: SubscriptionPage, to mark: SubscriptionPage.Mark, _ addressee: Addressee, _ now: Moment
    ) {
        var known = pages[addressee.id] ?? Pages()
        guard !known.marks.contains(mark), known.marks.count < Self.mostPages else {
            pages[addressee.id] = nil
            queue.retries.forget(addressee.id)
            return fail(
                addressee.id,
                Failure(.unreadableResponse, httpStatus: 200, message: "the list of subscriptions has no end"))
        }
        known.topics.formUnion(page.topics)
        known.marks.append(mark)
        pages[addressee.id] = known
        report.pages += 1
        queue.retries.putBack(addressee, now: now.elapsed)
    }

    /// - Parameter following: all topics that the registration follows.
    private mutating func settle(_ id: RecipientID, _ following: Set<TopicName>, _ now: Moment) {
        let (same, difference) = survey.expected.compare(id, following: following)
        var found = Unwritten()
        found.asked.insert(id)
        var isUntold = false
        switch survey.purpose {
        case .taking(let topic, _):
            if following.contains(topic) {
                report.following.insert(id)
                found.changed[topic] = [id]
            }
        case .comparison(let records):
            // It counts if it was so before.
            guard difference.isPart(of: suspicions.difference(of: id)) else { return doubt(id, difference, now) }
            suspicions.remove(id)
            for topic in difference.left { found.changed[topic] = [id] }
            isUntold = !difference.foreign.isEmpty || !records && !difference.left.isEmpty
        }
        report.figures.count(id, same: same, difference)
        if isUntold { untold.add(found) } else { unwritten.add(found) }
    }

    /// It may be on its way to become as the state has it, or the answer is old.
    private mutating func doubt(_ id: RecipientID, _ difference: SubscriptionDifference, _ now: Moment) {
        guard suspicions.note(id, difference) < Self.mostDifferences else {
            return fail(id, Failure(.unreadableResponse, message: "each answer has other topics than the one before"))
        }
        report.askedAgain += 1
        queue.askAgain(id, at: now.elapsed + survey.settle)
    }

    mutating func fail(_ id: RecipientID, _ failure: Failure) {
        suspicions.remove(id)
        report.figures.countFailed(id, failure.code, failure.message, of: survey.expected.topics(of: id))
        noteNoAnswer(of: id)
    }

    /// Returns `false` if the registration is not asked for again.
    private mutating func tryAgain(
        _ addressee: Addressee, _ failure: Failure, _ asked: Verdict.Repeat, _ now: Moment,
        _ context: inout RunContext
    ) -> Bool {
        let id = addressee.id
        let (decision, unanswered) = calls.decide(asked, for: id, in: queue.retries, at: now, &context)
        switch decision {
        case .wait(let wait, let pause, let isTooLong):
            if let pause { calls.pause(pause, at: now, &context) }
            // Meanwhile no run sends, so it does not wait longer than it may take.
            if !isTooLong, !isOverBudget(at: now.elapsed + wait) {
                queue.retries.insert(
                    addressee, readyAt: now.elapsed + wait, now: now.elapsed, mayHaveTakenEffect: false,
                    unanswered: unanswered)
                report.retries += 1
                return true
            }
        case .unreachable: report.stop(.impossible("the endpoint cannot be reached: \(failure.message)"))
        }
        fail(id, context.readable(failure, addressee))
        return false
    }
}

extension RunContext {
    /// With what can be shown of it.
    fileprivate func readable(_ failure: Failure, _ addressee: Addressee) -> Failure {
        var copy = failure
        (copy.code, copy.message) = redacted(failure, addressee)
        return copy
    }
}

extension ReadVerdict {
    fileprivate var isDeferral: Bool { if case .again(_, let asked) = self { asked.effect.isAskedFor } else { false } }
}
