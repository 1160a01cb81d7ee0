import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Follow-ups that people edit, and their seeds, through herald's own command lines, with a clock of the test.
struct FollowUpEditTests: FollowUpScene {
    private static let refused = Exchange.error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")
    private static let welcome = campaign("welcome", to: "members", "delivery: {stop_when_rejected_percent: 100}")
    /// Half of everybody is in the first stage of `sorry@once`: 1, 2, 4, 6, 8 and 12 of numbers 1 to 12.
    private static let half = [1, 2, 4, 6, 8, 12]

    private static func sorry(to target: String) -> String {
        campaign("sorry", to: target, "delivery: {stages: [50%, 100%], soak: manual}")
    }

    private func registrations(_ numbers: [Int]) -> Set<Registration> { Set(numbers.map { .fid($0) }) }

    /// FCM refused 'welcome' to 1, 3, 5 and 7. 'sorry' has gone to half of everybody when it gets another target.
    private func town(editing target: String) async throws -> Town {
        let town = try Town(Self.files(Self.welcome, members: 1...12), at: Self.monday)
        _ = try await town.herald("state", "init")
        town.answer(fids(1, 3, 5, 7), with: Self.refused)
        _ = try await town.herald("run")
        town.answer(fids(1, 3, 5, 7), with: nil)
        try town.folder.write(Self.welcome + "---\n" + Self.sorry(to: "members"), to: "campaigns.yaml")
        let first = try await town.herald("run")
        #expect(first.failure == nil, "\(first.errors)")
        try #require(town.sent("sorry") == registrations(Self.half))
        let audiences =
            Self.again("{campaign: welcome, is: [rejected]}")
            + "kind: audience\nname: others\nfrom: members\nexclude: [again]\n---\n"
        try town.folder.write(Self.welcome + "---\n" + audiences + Self.sorry(to: target), to: "campaigns.yaml")
        let held = try await town.herald("run")
        #expect(held.errors.contains("its message, target or time changed since"), "\(held.errors)")
        return town
    }

    @Test(arguments: [("again", [3, 5, 7]), ("others", [9, 10, 11])])
    func `what goes on to another target goes to whom its outcome chooses`(
        _ target: String, _ chosen: [Int]
    ) async throws {
        let town = try await town(editing: target)
        #expect(try await town.herald("state", "resolve", "sorry@once", "--continue").failure == nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("sorry") == registrations(Self.half + chosen))
        #expect(town.messages().count == 12 + Self.half.count + chosen.count, "nobody got it twice")
    }

    @Test(arguments: [("again", [3, 5, 7]), ("others", [9, 10, 11])])
    func `what goes on to another target waits until it is known whom its outcome chooses`(
        _ target: String, _ chosen: [Int]
    ) async throws {
        let town = try await town(editing: target)
        town.answer(fids(3, 5, 7), with: Self.refused)
        let retry = try await town.herald("state", "resolve", "welcome@once", "--retry", "SENDER_ID_MISMATCH")
        #expect(retry.failure == nil, "\(retry.errors)")
        #expect(try await town.herald("state", "resolve", "sorry@once", "--continue").failure == nil)
        let plan = try await town.herald("plan")
        #expect(
            plan.output.contains("sorry@once is half done and waits: nobody knows yet who is in audience '\(target)'"),
            "\(plan.output)")
        // They are refused again, and so 'welcome' is over.
        _ = try await town.herald("run")
        #expect(town.sent("sorry") == registrations(Self.half))
        town.answer(fids(3, 5, 7), with: nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("sorry") == registrations(Self.half + chosen))
    }

    /// 'sorry' has gone to half of everybody when 'welcome' is accepted by all but 3. Then a person has 3 tried again.
    @Test(arguments: ["again", "{audience: again, tags: [promo]}"])
    func `the rest of a send waits until it is known who of them is suppressed`(_ suppress: String) async throws {
        let sorry = Self.again("{campaign: welcome, is: [accepted]}") + Self.sorry(to: "members")
        let welcome = Self.welcome.replacing("tags: [promo]", with: "revision: 2")
        var files = Self.files(welcome + "enabled: false\n", sorry, members: 1...12)
        files["herald.yaml", default: ""] += "suppress: [\(suppress)]\n"
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        let first = try await town.herald("run")
        try #require(town.sent("sorry") == registrations(Self.half), "\(first.errors)")
        town.answer(fids(3), with: Self.refused)
        try town.folder.write(welcome + "---\n" + sorry, to: "campaigns.yaml")
        _ = try await town.herald("run")
        #expect(town.sent("welcome") == registrations(Array(1...12)))
        for decision in [["welcome@once#2", "--retry", "SENDER_ID_MISMATCH"], ["sorry@once", "--continue"]] {
            let resolve = try await town.herald(["state", "resolve"] + decision)
            #expect(resolve.failure == nil, "\(resolve.errors)")
        }
        let plan = try await town.herald("plan")
        #expect(
            plan.output.contains("sorry@once is half done and waits: nobody knows yet who is in audience 'again'"),
            "\(plan.output)")
        // They are refused again, and so 'welcome' is over.
        _ = try await town.herald("run")
        #expect(town.sent("sorry") == registrations(Self.half))
        town.answer(fids(3), with: nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("sorry") == registrations(Self.half + [3]))
    }

    @Test(arguments: [true, false]) func `a target under a new name is the same one, and who joined it gets nothing`(
        _ isRename: Bool
    ) async throws {
        let town = try Town(Self.files(Self.sorry(to: "members"), members: 1...12), at: Self.monday)
        _ = try await town.herald("state", "init")
        let first = try await town.herald("run")
        try #require(town.sent("sorry") == registrations(Self.half), "\(first.errors)")
        let former = isRename ? "previous_names: [members]\n" : ""
        try town.folder.write(
            "kind: audience\nname: people\n\(former)source: {file: members.csv}\n", to: "audience.yaml")
        try town.folder.write(Self.sorry(to: "people"), to: "campaigns.yaml")
        try town.folder.write(Self.list(2...14), to: "members.csv")
        let held = try await town.herald("run")
        #expect(held.errors.contains("its message, target or time changed since"), "\(held.errors)")
        let resolve = try await town.herald("state", "resolve", "sorry@once", "--continue")
        #expect(resolve.failure == nil, "\(resolve.errors)")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("sorry") == registrations(Array(1...(isRename ? 12 : 14))))
    }

    /// Whoever had opted out and accepted what 'ask' said is back in. Nobody was asked yet.
    @Test(arguments: [true, false])
    func `who opts out gets no more of a half-done send, whomever the list of opt-outs excludes`(
        _ isByTag: Bool
    ) async throws {
        let ask = Self.campaign("ask", to: "left", "enabled: false").replacing("tags: [promo]", with: "tags: [news]")
        var files = Self.files(Self.sorry(to: isByTag ? "members" : "wanted"), ask, members: 1...12)
        if isByTag { files["herald.yaml", default: ""] += "suppress: [{audience: opted-out, tags: [promo]}]\n" }
        files["opted-out.csv"] = Self.list([700])
        files["opted-out.yaml"] = """
            kind: audience
            name: wanted
            from: members
            exclude: [opted-out]
            ---
            kind: audience
            name: opted-out
            source: {file: opted-out.csv}
            exclude: [back]
            ---
            kind: audience
            name: left
            source: {file: opted-out.csv}
            ---
            kind: audience
            name: back
            from: left
            outcome: {campaign: ask, is: [accepted]}

            """
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        let first = try await town.herald("run")
        let begun = town.sent("sorry")
        try #require(begun.count > 1 && begun.count < 12, "\(first.output) \(first.errors)")
        _ = try await town.herald("run")
        let everybody = registrations(Array(1...12))
        let optsOut = try #require((1...12).first { !begun.contains(.fid($0)) })
        try town.folder.write(Self.list([700, optsOut]), to: "opted-out.csv")
        #expect(try await town.herald("state", "resolve", "sorry@once", "--continue").failure == nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("sorry") == everybody.subtracting(fids(optsOut)))
    }

    @Test(arguments: ["schedule: {at: 2027-01-05T09:00:00Z}", ""], [true, false])
    func `what was missed and gets another time goes by outcomes`(_ schedule: String, excludes: Bool) async throws {
        let offer = Self.campaign("offer", to: "members")
        let audience = Self.again("{campaign: offer, is: [\(excludes ? "accepted" : "never")]}")
        let news = { (schedule: String) in
            audience
                + (excludes
                    ? Self.campaign("news", to: "members", "exclude: [again]\n\(schedule)")
                    : Self.campaign("news", to: "again", schedule))
        }
        let town = try Town(
            Self.files(offer, news("schedule: {at: 2027-01-04T09:00:00Z}"), members: 1...2), at: Self.monday)
        _ = try await town.herald("state", "init")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("offer") == fids(1, 2))
        try town.folder.write(Self.list(1...4), to: "members.csv")
        town.pass(Self.day)
        let missed = try await town.herald("run")
        #expect((missed.output + missed.errors).contains("missed") && town.sent("news").isEmpty, "\(missed)")
        try town.folder.write(offer + "---\n" + news(schedule), to: "campaigns.yaml")
        town.pass(9.1 * 3600)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("news") == fids(3, 4))
    }

    @Test func `a seed whom no outcome chooses stays part of a follow-up that has begun`() async throws {
        let welcome = Self.campaign("welcome", to: "members")
        var files = Self.files(welcome)
        files["seeds.csv"] = Self.list([700])
        files["seeds.yaml"] = "kind: audience\nname: our-phones\nsource: {file: seeds.csv}\n"
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        town.answer(fids(2), with: Self.refused)
        _ = try await town.herald("run")
        town.answer(fids(2), with: nil)
        let again = Self.again("{campaign: welcome, is: [rejected]}")
        let sorry = Self.campaign("sorry", to: "again", "delivery: {seeds: our-phones, stages: [100%], soak: 15m}")
        try town.folder.write(welcome + "---\n" + again + sorry, to: "campaigns.yaml")
        town.answer(fids(700), with: Self.refused)
        _ = try await town.herald("run")
        try #require(town.sent("sorry") == fids(700))
        town.answer(fids(700), with: nil)
        let retry = try await town.herald("state", "resolve", "sorry@once", "--retry", "SENDER_ID_MISMATCH")
        #expect(retry.failure == nil, "\(retry.errors)")
        for sent in [[700, 700], [700, 700, 2]] {
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
            let messages = town.messages().filter { $0["notification"]?["title"] == "sorry" }
            #expect(messages.compactMap { $0["fid"]?.string } == sent.map { Registration.fid($0).rawValue })
            town.pass(3600)
        }
        let shown = try await town.herald("state", "show", "sorry@once", "--format", "json")
        #expect(try JSONValue(parsing: Array(shown.output.utf8))["occurrences"]?.array?.first?["accepted"] == 2)
    }

    /// Nobody was refused, so nobody is missed. While another send is open, nobody knows who will be.
    @Test(
        arguments: [
            "{cron: \"0 11 * * *\", max_lateness: 1h}",
            "{cron: \"0 11 * * *\", max_lateness: 1h, timezone: {field: zone, default: Europe/Rome}}",
        ], [false, true])
    func `a follow-up that repeats misses nobody where nobody is left to write to`(
        _ schedule: String, isOpen: Bool
    ) async throws {
        let main = Self.campaign("tides", to: "members")
        let again = Self.again("{campaign: tides, is: [rejected]}")
        let plain = again + Self.campaign("plain", to: "again", "schedule: \(schedule)")
        var files = Self.files(main, plain)
        files["audience.yaml"] =
            "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
        files["members.csv"] =
            "fid,zone\n" + (1...12).map { "\(Registration.fid($0).rawValue),Europe/Rome\n" }.joined()
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("tides").count == 12)
        if isOpen {
            let staged = main + "revision: 2\ndelivery: {stages: [50%, 100%], soak: manual}\n"
            try town.folder.write(staged + "---\n" + plain, to: "campaigns.yaml")
            _ = try await town.herald("run")
        }
        town.go(to: Self.monday + Self.day + 11.2 * 3600)
        let due = try await town.herald("run")
        let told = due.output + due.errors
        #expect(told.contains("'plain' is due and has nobody to send to"), "\(told)")
        // By then it is too late on every clock.
        town.go(to: Self.monday + 3 * Self.day + 3600)
        let late = try await town.herald("plan")
        let passes = late.output.contains("goes to nobody: by the outcomes of other sends, nobody is in")
        #expect(passes != isOpen, "\(late.output)")
        let run = try await town.herald("run")
        #expect((run.failure == nil) != isOpen, "\(run.output) \(run.errors)")
        let after = try await town.herald("run")
        #expect(after.failure == nil && !after.output.contains("missed"), "\(after.output)")
    }
}
