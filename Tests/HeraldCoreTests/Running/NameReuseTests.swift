import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Names of campaigns change hands. Whatever people do with them, nothing is sent twice, and no campaign takes over
/// what was sent under the same name for another one (docs/explanation/promises.md#names).
@Suite struct NameReuseTests {
    private let welcome = Campaign.tide("welcome", title: "Welcome")
    private let other = Campaign.tide("welcome", title: "Welcome to the new season")

    private func world() async throws -> Simulation {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(welcome)
        try await world.run()
        #expect(world.occurrences == ["welcome@once"])
        return world
    }

    @Test func `a name that is used again is another campaign, and repeats nothing`() async throws {
        var world = try await world()
        world.remove("welcome")
        world.declare(welcome.named("welcome-2025", formerly: "welcome"))
        try await world.run()
        #expect(world.plan.doesNothing)
        world.declare(other)
        try await world.run()
        for _ in 0..<3 { try await world.run() }
        #expect(world.occurrences == ["welcome@once", "welcome@once~2"])
        #expect(world.accepted == 4, "both messages, once to each of two recipients")
        #expect(world.state.occurrences["welcome@once"]?.campaign == "welcome-2025")
        #expect(world.state.occurrences["welcome@once~2"]?.campaign == "welcome")
    }

    @Test func `a history moves once, so that it takes no later campaign of the old name along`() async throws {
        var world = try await world()
        world.remove("welcome")
        world.declare(welcome.named("welcome-2025", formerly: "welcome"))
        try await world.run()
        world.declare(other)
        try await world.run()
        // Its file goes. `welcome-2025` still says what it was called.
        world.remove("welcome")
        try await world.run()
        #expect(world.state.occurrences["welcome@once~2"]?.campaign == "welcome")
        world.declare(other)
        try await world.run()
        #expect(world.accepted == 4)
    }

    /// The new name had the old one's history before, and nobody has had it since.
    @Test func `a pair of names that is used a second time moves the newer history too`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        for title in ["Ebb", "Flood"] {
            let daily = try Campaign.cron("0 12 * * *", "news", title: title)
            world.declare(daily)
            try await world.run()
            world.remove("news")
            world.declare(daily.named("tide", formerly: "news"))
            if title == "Flood" { world.skip(to: .utc("2026-12-07 12:30")) }
            try await world.run()
            world.remove("tide")
            if title == "Ebb" { try await world.run() }
        }
        #expect(world.occurrences == ["tide@2026-12-07T12:00:00Z"])
        #expect(world.accepted == 2)
    }

    /// Another campaign was called `tide` and then `sale` before this one was.
    @Test func `a history that came from earlier names of a campaign follows it to a name that another one had`()
        async throws
    {
        var world = try await world()
        let daily = try Campaign.cron("0 12 * * *", "tide")
        world.declare(daily)
        try await world.run()
        world.remove("tide")
        world.declare(daily.named("sale", formerly: "tide"))
        try await world.run()
        world.remove("welcome")
        world.declare(welcome.named("tide", formerly: "welcome"))
        try await world.run()
        world.remove("sale")
        world.remove("tide")
        world.declare(welcome.named("sale", formerly: "welcome", "tide"))
        for _ in 0..<3 { try await world.run() }
        #expect(world.accepted == 2)
        #expect(world.state.occurrences["welcome@once"]?.campaign == "sale")
    }

    /// Nothing was sent under its own earlier name, so the state cannot know that one.
    @Test func `a message that was sent follows its campaign to a name that another one had`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        let old = Campaign.tide("sale", title: "Old")
        world.declare(old)
        try await world.run()
        world.remove("sale")
        world.declare(old.named("tide", formerly: "sale"))
        try await world.run()
        world.remove("tide")
        let new = Campaign.tide("news", title: "New")
        world.declare(new.named("sale", formerly: "news"))
        try await world.run()
        #expect(world.accepted == 4)
        world.remove("sale")
        world.declare(new.named("tide", formerly: "news", "sale"))
        try await world.run()
        #expect(world.plan.doesNothing && world.plan.refusals.isEmpty)
        #expect(world.accepted == 4)
    }

    @Test func `a campaign that is renamed back, and away again, keeps its history`() async throws {
        var world = try await world()
        for step in 1...4 {
            let (old, new) = step % 2 == 1 ? ("welcome", "hello") : ("hello", "welcome")
            world.remove(old)
            world.declare(welcome.named(new, formerly: old))
            try await world.run()
            #expect(world.state.occurrences["welcome@once"]?.campaign == new)
        }
        #expect(world.accepted == 2)
    }

    /// Its run was stopped before the first request.
    @Test func `what tried nobody before a rename keeps its id, and leaves nothing open`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        try world.laboratory.memory.commit([.open("welcome@once", RecordedOccurrence(welcome, due: nil))])
        world.declare(welcome.named("hello", formerly: "welcome"))
        try await world.run()
        world.declare(other)
        for _ in 0..<3 { try await world.run() }
        #expect(world.occurrences == ["welcome@once", "welcome@once~2"])
        #expect(world.accepted == 4, "both messages, once to each of two recipients")
        #expect(world.state.occurrences.count == 2 && world.state.occurrences.values.allSatisfy { $0.finished != nil })
    }

    @Test func `two campaigns that swap their names send nothing again`() async throws {
        var world = try await world()
        let second = Campaign.tide("goodbye", title: "Goodbye")
        world.declare(second)
        try await world.run()
        #expect(world.accepted == 4)
        world.declare(second.named("welcome", formerly: "goodbye"))
        world.declare(welcome.named("goodbye", formerly: "welcome"))
        for _ in 0..<3 { try await world.run() }
        #expect(world.accepted == 4)
    }

    @Test func `a new name without previous_names, whose old name has a new message, is refused`() async throws {
        var world = try await world()
        world.refusesGuarded = true
        world.declare(other)
        world.declare(welcome.named("welcome-2025"))
        #expect(world.plan.refusals.map(\.kind) == [.looksRenamed])
        #expect(world.plan.refusals.map(\.name) == ["welcome-2025"])
        try await world.run()
        #expect(world.accepted == 2)
    }

    @Test func `a copy that keeps the previous names of its model is a campaign of its own`() async throws {
        var world = try await world()
        world.remove("welcome")
        world.declare(welcome.named("welcome-2025", formerly: "welcome"))
        try await world.run()
        world.declare(other.named("welcome-2026", formerly: "welcome"))
        try await world.run()
        #expect(world.occurrences == ["welcome@once", "welcome-2026@once"])
        #expect(world.accepted == 4)
    }

    /// The mark of a name that vanished goes with each run, past what is due of the campaign that lives.
    @Test(arguments: [["tide", "news"], ["news", "tide"]])
    func `a name that a campaign had for a moment takes nothing that is due from it`(_ names: [String]) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("8 5 * * *", "news", title: "Ebb"))
        try await world.run()
        world.remove("news")
        let daily = try Campaign.cron("0 12 * * *", "tide", title: "Flood")
        world.declare(daily, for: [])
        try await world.run()
        world.skip(to: .utc("2026-12-07 12:00"))
        try await world.run()
        #expect(world.occurrences.isEmpty)
        world.remove("tide")
        var gala = daily.named("gala")
        gala.previousNames = names.map { .init($0) }
        world.declare(gala)
        world.skip(to: .utc("2026-12-07 12:30"))
        try await world.run()
        #expect(world.occurrences == ["gala@2026-12-07T12:00:00Z"])
    }

    @Test func `whoever adds previous_names, as the guard says, loses nothing that it refused`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.refusesGuarded = true
        let daily = try Campaign.cron("0 12 * * *", "tide")
        world.declare(daily)
        try await world.run()
        world.skip(to: .utc("2026-12-07 12:00"))
        try await world.run()
        world.remove("tide")
        world.declare(daily.named("gala"))
        world.skip(to: .utc("2026-12-08 09:00"))
        try await world.run()
        world.skip(to: .utc("2026-12-08 12:00"))
        #expect(world.plan.refusals.map(\.kind) == [.looksRenamed])
        try await world.run()
        world.declare(daily.named("gala", formerly: "tide"))
        world.skip(to: .utc("2026-12-08 12:10"))
        try await world.run()
        #expect(world.occurrences == ["tide@2026-12-07T12:00:00Z", "gala@2026-12-08T12:00:00Z"])
    }

    /// As `git revert` does it. With another message, herald cannot know whether it is the campaign from before.
    @Test(arguments: [false, true]) func `a rename that is taken back sends nothing again`(_ isChanged: Bool)
        async throws
    {
        var world = try await world()
        world.refusesGuarded = true
        world.remove("welcome")
        world.declare(welcome.named("hello", formerly: "welcome"))
        try await world.run()
        world.remove("hello")
        world.declare(isChanged ? other : welcome)
        for _ in 0..<3 {
            #expect(world.plan.refusals.map(\.kind) == (isChanged ? [.looksRenamed] : []))
            try await world.run()
        }
        #expect(world.state.occurrences["welcome@once"]?.campaign == (isChanged ? "hello" : "welcome"))
        world.declare(other.named("welcome", formerly: "hello"))
        for _ in 0..<3 { try await world.run() }
        #expect(world.state.occurrences["welcome@once"]?.campaign == "welcome")
        #expect(world.accepted == 2 && world.plan.refusals.isEmpty)
    }

    /// A state written before herald noted former names.
    @Test func `an occurrence whose id names another campaign is never opened again`() async throws {
        var world = try await world()
        try world.laboratory.memory.commit([.rename(campaign: "welcome", to: "welcome-2025")])
        world.remove("welcome")
        world.declare(other)
        for _ in 0..<3 { try await world.run() }
        #expect(world.occurrences == ["welcome@once", "welcome@once~2"])
        #expect(world.accepted == 4)
    }
}
