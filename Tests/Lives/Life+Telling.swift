import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// What the receivers of webhooks know, and what they should.
struct LifeTellings {
    struct Trouble {
        var change: String
        var subject: String
        var sentence: String
        /// Whether it was well since, or a person decided about it. If it comes about again, that is news.
        var isOver = false
        /// Whether another one of its guard came after that. That this one is well again is still told if the other one
        /// is about something else.
        var isPast = false
        /// Whether a run found another trouble of the same thing instead of it. Nobody is told that it is over then. If
        /// it comes about again, that is news.
        var isReplaced = false

        func isEnded(by sentence: String) -> Bool { sentence == "Well again. It was: \(self.sentence)" }
    }

    /// What is in trouble, as each hook was told.
    var open: [Int: [Trouble]] = [:]
    /// What has arrived, by hook and id.
    var texts: [String: String] = [:]
    /// What has arrived and must not come again.
    var over: Set<String> = []
    /// Ends that each hook is to be told, with their dates.
    var owed: [Int: [OccurrenceID: Date]] = [:]
    /// What was too late, by hook: what each is to be told, with when it ended, and what it was told, with the notice's id.
    var owedMissed: [Int: [OccurrenceID: Date]] = [:]
    var toldMissed: [Int: [OccurrenceID: String]] = [:]
    /// How often an end was told to each hook.
    var sent: [Int: [OccurrenceID: Int]] = [:]
    /// How often each occurrence ended, and when it did last.
    var ends: [OccurrenceID: Int] = [:]
    var ended: [OccurrenceID: Date] = [:]
    /// Whether an older state has forgotten what was told.
    var isForgotten = false
    /// Whether a run had a clock that was slow: it shows no stage that waits for a person, and the next run tells that again.
    var wasSlow = false
}

/// People are told each change once, and once when it is well again, whatever their server does.
extension Life {
    /// Every other life has one or two webhooks, some of them only later on.
    func takeWebhooks() {
        guard !seed.isMultiple(of: 2) else { return }
        var random = SeededRandom(seed: seed ^ 0x7E11)
        for number in 0..<Int.random(in: 1...2, using: &random) {
            var hook = Webhook(address: "${HOOK_\(number)}")
            if Bool.random(using: &random) {
                hook.changes = Set(Webhook.Change.allCases.filter { _ in Bool.random(using: &random) })
                if hook.changes.isEmpty { hook.changes = [.held] }
            }
            if number == 1, Bool.random(using: &random) { hook.form = .slack } else { hook.secret = "${HOOK_SECRET}" }
            hooks.append(hook)
        }
        if Int.random(in: 0..<3, using: &random) > 0 { settings.webhooks = hooks }
    }

    func toggleNotify() {
        guard !hooks.isEmpty else { return }
        settings.webhooks = settings.webhooks.isEmpty ? hooks : []
        tell(settings.webhooks.isEmpty ? "nobody is told any more" : "\(hooks.count) webhooks are told")
    }

    /// Called before herald: whether the receivers work meanwhile.
    func meetReceivers() {
        var random = SeededRandom(seed: seed ^ UInt64(bitPattern: Int64(story.count)) &* 0x9E37)
        let mishaps = [0, 0, 0, 0, 0, 25, 60, 100].randomElement(using: &random) ?? 0
        receiver = LifeReceiver(random, mishaps: mishaps, noted: known.state.notes[.told] ?? "")
    }

    func judgeTelling(_ call: Call, _ run: LifeRun) async throws {
        let (content, before) = (run.now, receiver.now)
        noteEnds(content)
        noteMissedNews(content)
        tellings.wasSlow = tellings.wasSlow || skew < 0
        for letter in before.letters { try judge(letter, content) }
        // What ended more than a day ago is told to nobody any more, whether a hook works or not, and also if the clock is
        // right or slow again later.
        if !settings.webhooks.isEmpty {
            tellings.owed = tellings.owed.mapValues { [now] in $0.filter { $0.value > now - 86_300 } }
        }
        guard !run.isDead else { return }
        tellings.over.formUnion(before.letters.filter(\.isAcknowledged).map { "\($0.hook) \($0.id)" })
        for (name, value) in LifeReceiver.variables where name.hasPrefix("HOOK") && content.told.contains(value) {
            throw LifeProblem(promise: "shows no secret", words: name)
        }
        // A run that is asked to stop tells nobody any more. The next one does.
        guard !tellings.isForgotten, !settings.webhooks.isEmpty, !content.isStopped else { return }
        if files.areWrong { return try judgeWrong(call) }
        guard let instant = endOfWhole(call, content) else { return }
        let truth = try await troubles(at: instant)
        noteReplaced(truth)
        for (number, hook) in hooks.enumerated() where hook.form == .json && !receiver.isFailing(number) {
            try judge(hook, number, truth)
            try judgeMissedNews(hook, number)
            guard hook.changes.contains(.sent) else { continue }
            if let one = tellings.owed[number]?.keys.min() {
                throw LifeProblem(promise: "tells every end", words: "hook \(number) was not told of \(one)")
            }
            tellings.owed[number] = [:]
        }
    }

    private func noteReplaced(_ truth: [(change: Webhook.Change, subject: String)]) {
        for (hook, open) in tellings.open {
            tellings.open[hook] = open.map { trouble in
                var trouble = trouble
                let there = truth.filter {
                    $0.subject == trouble.subject && hooks[hook].changes.contains($0.change)
                }.map(\.change.rawValue)
                if !there.isEmpty, !there.contains(trouble.change) { trouble.isReplaced = true }
                return trouble
            }
        }
    }

    /// When a call ended that did all it could. `nil` for one that does not know how everything stands.
    private func endOfWhole(_ call: Call, _ content: LifeRun.Content) -> Date? {
        guard let course = content.course, course.blocking.isEmpty, content.edited == nil else { return nil }
        guard let report = content.report else {
            return course.plan.isEmpty && scope(of: call) == nil ? content.plans.first?.plan.at : nil
        }
        return report.result == .interrupted ? nil : report.finished
    }

    private func noteEnds(_ content: LifeRun.Content) {
        // A person ends some, too.
        for (id, occurrence) in known.state.occurrences where occurrence.finished != tellings.ended[id] {
            tellings.ended[id] = occurrence.finished
            if occurrence.finished != nil { tellings.ends[id, default: 0] += 1 }
        }
        for case .finish(let id, let date) in content.notes.flatMap(\.changes) {
            guard !settings.webhooks.isEmpty,
                known.state.occurrences[id].map({ $0.hasTried && $0.finished != nil }) == true
            else { continue }
            for number in hooks.indices { tellings.owed[number, default: [:]][id] = date }
        }
    }

    // MARK: One message

    private func judge(_ letter: LifeReceiver.Letter, _ content: LifeRun.Content) throws {
        guard hooks.indices.contains(letter.hook), !settings.webhooks.isEmpty else {
            throw LifeProblem(promise: "tells nobody else", words: letter.text)
        }
        let (hook, key) = (hooks[letter.hook], "\(letter.hook) \(letter.id)")
        if !letter.isNoted {
            throw LifeProblem(promise: "tells nothing before its commit", words: letter.text)
        }
        if tellings.over.contains(key), !tellings.isForgotten {
            throw LifeProblem(promise: "tells nothing twice", words: letter.text)
        }
        guard letter.hasArrived else { return noteUnread(letter) }
        let known = tellings.texts.updateValue(letter.text, forKey: key)
        // An older state tells it again, with the same id.
        if let known, known != letter.text, !tellings.isForgotten {
            throw LifeProblem(promise: "keeps the words of a message", words: "\(known) became \(letter.text)")
        }
        for secret in [LifeReceiver.secret, "-address", "cTEST"] where letter.text.contains(secret) {
            throw LifeProblem(promise: "tells no registration and no secret", words: letter.text)
        }
        let signature = hook.secret.map { _ in
            Notice.signature(of: letter.text, LifeReceiver.secret, at: letter.date)
        }
        if letter.signature != signature {
            throw LifeProblem(promise: "signs what it tells", words: letter.signature ?? "no signature")
        }
        guard known == nil, hook.form == .json else { return }
        try take(try JSONValue(parsing: Array(letter.text.utf8)), at: letter.hook, letter.id)
    }

    /// Whoever was not told that all is well does not know either that a trouble is a new one.
    private func noteUnread(_ letter: LifeReceiver.Letter) {
        guard let sentence = (try? JSONValue(parsing: Array(letter.text.utf8)))?["sentence"]?.string else { return }
        let open = tellings.open[letter.hook] ?? []
        guard let over = open.first(where: { $0.isEnded(by: sentence) && !$0.isPast }) else { return }
        tellings.open[letter.hook] = open.map { trouble in
            var trouble = trouble
            if trouble.subject == over.subject { trouble.isOver = true }
            return trouble
        }
    }

    private func take(_ notice: JSONValue, at hook: Int, _ id: String) throws {
        let (change, ended) = (notice["change"]?.string ?? "", notice["ended"]?.string)
        let sentence = notice["sentence"]?.string ?? ""
        tell("hook \(hook) is told: \(ended.map { "\(change) (\($0))" } ?? change): \(sentence)")
        guard notice["id"]?.string == id, let word = Webhook.Change(rawValue: ended ?? change),
            hooks[hook].changes.contains(word), (ended != nil) == (change == "well")
        else { throw LifeProblem(promise: "tells what was asked for", words: notice.compactText) }
        var open = tellings.open[hook] ?? []
        defer { tellings.open[hook] = open }
        switch change {
        case "sent":
            let occurrence = OccurrenceID(rawValue: notice["occurrence"]?.string ?? "")
            tellings.owed[hook]?[occurrence] = nil
            tellings.sent[hook, default: [:]][occurrence, default: 0] += 1
            let (told, ends) = (tellings.sent[hook]?[occurrence] ?? 0, tellings.ends[occurrence] ?? 0)
            if told > ends, !tellings.isForgotten {
                throw LifeProblem(promise: "tells an end once", words: "\(occurrence), which ended \(ends) times")
            }
        case "missed": try tellings.noteMissed(notice, at: hook)
        case "well":
            let meant = open.filter { $0.isEnded(by: sentence) }
            guard let trouble = meant.first(where: { !$0.isPast }) ?? meant.first else {
                if tellings.isForgotten { return }
                throw LifeProblem(promise: "is well only after a trouble", words: sentence)
            }
            open.removeAll {
                $0.subject == trouble.subject && $0.isPast == trouble.isPast
                    && ($0.change == trouble.change || trouble.subject != "run")
                    && (!trouble.isPast || $0.sentence == trouble.sentence)
            }
        default:
            let subject = Self.subject(of: notice)
            let last = open.lastIndex {
                $0.change == change && $0.subject == subject && $0.sentence == sentence && !$0.isOver
                    && !$0.isReplaced
            }
            // Whoever was told of another trouble since is not told that this one is over.
            let isSame =
                last.map { !open[$0...].contains { $0.subject == subject && $0.sentence != sentence } } ?? false
            // It names the first of what nobody approved. What it only counts may be another one.
            let isCounted = sentence.contains(" more definition")
            if isSame, !isCounted, !tellings.isForgotten, !(tellings.wasSlow && change == "halted") {
                throw LifeProblem(promise: "tells the same news once", words: sentence)
            }
            if subject.hasPrefix("guard ") {
                for place in open.indices where open[place].subject == subject && open[place].isOver {
                    open[place].isPast = true
                }
            } else {
                open.removeAll { $0.change == change && $0.subject == subject && $0.isOver }
            }
            open.append(.init(change: change, subject: subject, sentence: sentence))
        }
    }

    /// What a message is about.
    private static func subject(of notice: JSONValue) -> String {
        if let occurrence = notice["occurrence"]?.string { return occurrence }
        let words = (notice["command"]?.string ?? "").split(separator: " ").map(String.init)
        switch words.dropFirst().first {
        case "apply": return "guard \(words.last?.split(separator: "=").first ?? "")"
        case "state" where words.count > 3: return words[3]
        default: return "run"
        }
    }

    /// A person decided about an occurrence. Whoever was told is told again if it comes about again.
    func noteDecision(_ way: Resolution, about id: OccurrenceID) {
        for (hook, open) in tellings.open {
            tellings.open[hook] = open.map { trouble in
                var trouble = trouble
                let isUnknown = trouble.sentence.contains("may or may not")
                let isMeant =
                    switch way {
                    case .accept, .resend: trouble.change == "held" && isUnknown
                    case .goOn: ["halted", "held"].contains(trouble.change) && !isUnknown
                    case .abandon, .retry: false
                    }
                if isMeant, trouble.subject == id.rawValue { trouble.isOver = true }
                return trouble
            }
        }
    }

    // MARK: How things stand

    /// A run cannot work with wrong files.
    private func judgeWrong(_ call: Call) throws {
        guard call == .run else { return }
        for (number, hook) in hooks.enumerated()
        where hook.form == .json && hook.changes.contains(.failed) && !receiver.isFailing(number) {
            if tellings.open[number]?.contains(where: { $0.change == "failed" && $0.subject == "run" }) != true {
                throw LifeProblem(promise: "tells that no run works", words: "hook \(number)")
            }
        }
    }

    /// A hook knows of each trouble that it wants to be told, and of no other.
    private func judge(_ hook: Webhook, _ number: Int, _ truth: [(change: Webhook.Change, subject: String)]) throws {
        let open = tellings.open[number] ?? []
        for (change, subject) in truth where hook.changes.contains(change) {
            if !open.contains(where: { $0.change == change.rawValue && $0.subject == subject && !$0.isOver }) {
                throw LifeProblem(promise: "tells every trouble", words: "hook \(number): \(change) \(subject)")
            }
        }
        let asked = Set(truth.filter { hook.changes.contains($0.change) }.map(\.subject))
        if let one = open.first(where: { !asked.contains($0.subject) && !$0.isPast }) {
            throw LifeProblem(
                promise: "tells what is well again", words: "hook \(number): \(one.change) \(one.subject)")
        }
    }

    /// What somebody should know of, by the plan and the last run.
    private func troubles(at instant: Date) async throws -> [(change: Webhook.Change, subject: String)] {
        let proposal = try await plan(at: instant).proposal
        let plan = proposal.plan
        var troubles: [(change: Webhook.Change, subject: String)] = []
        for held in plan.held where held.kind != .paused {
            troubles.append((held.kind == .halted ? .halted : .held, held.occurrence.rawValue))
        }
        // What ended may have reached somebody, whatever its plan says.
        for campaign in files.campaigns {
            for (id, occurrence) in known.state.occurrences.sorted(by: { $0.key < $1.key })
            where occurrence.campaign == campaign.name && occurrence.revision == campaign.revision
                && occurrence.finished != nil && occurrence.counts.uncertain > 0
                && !troubles.contains(where: { $0.subject == id.rawValue })
            {
                troubles.append((.held, id.rawValue))
            }
        }
        for refusal in plan.refusals where refusal.kind != .staleList {
            troubles.append((.held, "guard \(refusal.kind.rawValue)"))
        }
        let planned = Set(plan.steps.filter { $0.refusal == nil }.map(\.id.rawValue))
        for refusal in known.state.lastRun?.refusals ?? [] where planned.contains(refusal.step) {
            troubles.append((.held, "guard \(refusal.kind)"))
        }
        if !(plan.unapproved + proposal.overview.unapproved).isEmpty { troubles.append((.held, "run")) }
        for silenced in plan.silenced { troubles.append((.failed, silenced.campaign)) }
        if let last = known.state.lastRun, last.result == "failed" {
            let isFinal =
                last.figures["pending"] == nil && last.figures["refused_memberships"] == nil
                && (last.figures["missed"] ?? last.figures["rejected"] ?? last.figures["skipped"]) != nil
            if !isFinal { troubles.append((.failed, "run")) }
        }
        return troubles
    }
}

extension Webhook {
    /// As in herald.yaml.
    var text: String {
        var parts = ["webhook: \"\(address)\"", "format: \(form.rawValue)"]
        parts.append("when: [\(changes.map(\.rawValue).sorted().joined(separator: ", "))]")
        if let secret { parts.append("secret: \"\(secret)\"") }
        return "{\(parts.joined(separator: ", "))}"
    }
}
