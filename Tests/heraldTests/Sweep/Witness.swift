import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// What the emulator, the state and the reports say about the same runs.
struct Witness {
    /// How often the emulator accepted a message, by campaign and recipient. Messages that it refused and delivered all
    /// the same are counted apart.
    private(set) var accepted: [String: [String: Int]] = [:]
    private var contradicted: [String: [String: Int]] = [:]
    /// Which texts each recipient of the personal campaign got, whether FCM said that it took them or not.
    private var texts: [String: Set<MessageClass>] = [:]
    let state: RecordedState
    private let registrations: [RecipientID: Registration]
    private(set) var reports: [(name: String, report: JSONValue)] = []
    let requests: [Request]
    private let control: Control

    init(_ sandbox: Sandbox, _ host: String) async throws {
        try await self.init(sandbox, host, of: try SQLiteStore.open(at: sandbox.statePath), reports: "runs")
    }

    /// - Parameter folder: of the reports, in the sandbox.
    init(_ sandbox: Sandbox, _ host: String, of store: any StateStore, reports folder: String) async throws {
        control = try Control(host)
        for line in try await control.ledger() {
            let target = try #require(line["target"]?.object?.first)
            let campaign = try #require(line["message"]?["data"]?["campaign"]?.string)
            let text = try #require(target.value.string)
            // A topic's name or a group's key is no registration: it stands for one request to all.
            let isPersonal = target.key == "fid" || text.hasPrefix("cTEST")
            let recipient = isPersonal ? text : ""
            if campaign == SweepPersonal.campaign {
                let data = line["message"]?["data"]
                let locale = data?["locale"]?.string
                texts[recipient, default: []].insert(
                    MessageClass(locale: locale == "message" ? nil : locale, variant: data?["variant"]?.string))
            }
            if line["status"]?.int == 503 {
                contradicted[campaign, default: [:]][recipient, default: 0] += 1
            } else {
                accepted[campaign, default: [:]][recipient, default: 0] += 1
            }
        }
        requests = try await control.requests().compactMap { Request($0) }
        state = try await store.wholeState()
        registrations = try await store.registrations(
            of: RecipientSet(KnownRecipient.firstID..<max(KnownRecipient.firstID, state.nextRecipient)))
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(sandbox.folder.path)/\(folder)")
        for name in names.sorted() where name.hasSuffix(".json") {
            reports.append((name, try JSONValue(parsing: Array(sandbox.folder.read("\(folder)/\(name)").utf8))))
        }
    }

    /// The addresses of these recipients; the empty text stands for a request to all.
    static func names(of recipients: RecipientSet, in store: SQLiteStore) async throws -> [String] {
        let registrations = try await store.registrations(of: recipients)
        return recipients.map { registrations[$0]?.rawValue ?? "" }
    }

    /// - Parameters:
    ///   - repeats: How often each recipient of a campaign had to be sent to again because the campaign asks for that.
    ///   - isAccountWhole: Whether no run was killed. A killed run's report lacks its last second.
    func problems(
        with drawn: SweepWorkspace, repeats: [String: [String: Int]], isAccountWhole: Bool
    ) async throws -> [String] {
        var problems = reports.filter { !Account($0.report).addsUp }.map { "report \($0.name) does not add up" }
        for sending in drawn.sendings {
            let occurrences = state.occurrences.filter { $0.value.campaign == sending.name }
            problems += over(sending.name, repeats[sending.name] ?? [:])
            if !sending.recurs { problems += missing(of: sending, occurrences) }
        }
        if isAccountWhole { problems += unannounced(repeats) }
        problems += unheard() + unasked(with: drawn, repeats: repeats, isAccountWhole: isAccountWhole)
        return try await problems + strayMembers(drawn)
    }

    /// Whether everybody of a personal campaign got the text that the state says, and nobody else anything.
    func problems(of personal: SweepPersonal, final: String) -> [String] {
        let occurrence = state.occurrences.values.first { $0.campaign == SweepPersonal.campaign }
        return personal.problems(texts, occurrence, dead: Set(state.dead.map(name)), final: final, name: name)
    }

    // MARK: Promise 1

    /// What a campaign's occurrences say of each recipient: how often accepted, and how often possibly accepted.
    private func known(_ campaign: String) -> [String: (accepted: Int, possible: Int)] {
        var known: [String: (accepted: Int, possible: Int)] = [:]
        for occurrence in state.occurrences.values where occurrence.campaign == campaign {
            for id in occurrence.accepted { known[name(id), default: (0, 0)].accepted += 1 }
            let possible = occurrence.accepted.union(occurrence.uncertain).union(occurrence.abandoned)
            for id in possible { known[name(id), default: (0, 0)].possible += 1 }
        }
        return known
    }

    /// Recipients that got more messages than occurrences were sent, or fewer than the state says.
    private func over(_ campaign: String, _ repeats: [String: Int]) -> [String] {
        let known = known(campaign)
        let (accepted, contradicted) = (accepted[campaign] ?? [:], contradicted[campaign] ?? [:])
        let often = accepted.filter { $1 > (known[$0]?.possible ?? 0) + (repeats[$0] ?? 0) }
        let seldom = known.filter { (accepted[$0] ?? 0) + (contradicted[$0] ?? 0) < $1.accepted }
        return (often.isEmpty ? [] : ["\(campaign): \(often.count) were accepted more often than may be"])
            + (seldom.isEmpty ? [] : ["\(campaign): \(seldom.count) were accepted less often than the state has it"])
    }

    /// If the emulator delivers what it refuses, reports must announce the extra deliveries as possible duplicates.
    private func unannounced(_ repeats: [String: [String: Int]]) -> [String] {
        let announced = reports.reduce(0) { $0 + Int($1.report["summary"]?["possible_duplicates"]?.int ?? 0) }
        var duplicates = 0
        for (campaign, recipients) in contradicted {
            let known = known(campaign)
            for (recipient, count) in recipients {
                let all = count + (accepted[campaign]?[recipient] ?? 0)
                let most = (known[recipient]?.possible ?? 0) + (repeats[campaign]?[recipient] ?? 0)
                duplicates += max(0, all - most)
            }
        }
        return duplicates > announced ? ["\(duplicates) duplicates, of which \(announced) are announced"] : []
    }

    // MARK: No recipient is missing

    private func missing(of sending: SweepWorkspace.Sending, _ occurrences: [OccurrenceID: RecordedOccurrence])
        -> [String]
    {
        let current = occurrences.filter { $0.value.revision == sending.revision }
        let tried = current.values.reduce(into: RecipientSet()) { $0.formUnion($1.tried) }
        let missing = sending.recipients.subtracting(tried.union(state.dead).map(name))
        let isMissed = reports.contains { entry in
            (entry.report["missed"]?.array ?? []).contains { missed in
                current.keys.contains { $0.rawValue == missed["occurrence"]?.string }
            }
        }
        if missing.isEmpty || isMissed { return [] }
        return ["\(sending.name): \(missing.count) were never tried"]
    }

    private func strayMembers(_ drawn: SweepWorkspace) async throws -> [String] {
        var problems: [String] = []
        let dead = Set(state.dead.map(name))
        for (topic, wanted) in drawn.topics {
            let members = Set(try await control.members(ofTopic: topic))
            let wanted = Set(wanted)
            if !members.isSubset(of: wanted) || !wanted.subtracting(dead).isSubset(of: members) {
                problems.append("topic \(topic) has \(members.count) members instead of \(wanted.count)")
            }
        }
        for (group, wanted) in drawn.groups {
            let members = try await control.members(ofGroup: group) ?? []
            if Set(members) != Set(wanted) { problems.append("group \(group) has \(members.count) members") }
        }
        return problems
    }

    private func name(_ id: RecipientID) -> String { registrations[id]?.rawValue ?? "" }
}
