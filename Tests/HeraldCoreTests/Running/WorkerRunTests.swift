import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A process that helps with one job after the other.
@Suite struct WorkerRunTests {
    @Test(arguments: [(1, 1), (3, 5)])
    func `a campaign's rate holds across its jobs`(rate: Int, each: Int) async throws {
        let laboratory = Laboratory(population: 3 * each)
        let (clock, instants) = (laboratory.clock, Log<Duration>())
        let sender = ScriptedSender(capacity: 50, isPrompt: true) { request, number in
            instants.append(clock.now.offset)
            return .accepted(request, number)
        }
        var run = WorkerRun(at: .emulator, clock: clock)
        for number in 0..<3 {
            var send = Plan.Send.sample([], due: Laboratory.start.adding(.seconds(60 * number)))
            send.delivery.rate = .limited(rate)
            var fcm = laboratory.fcm
            fcm.ramp = .zero
            let shared = SharedSend(
                send, within: TimeLimits(), ramped: .zero, RunOptions(fcm: fcm, guards: GuardLimits()))
            let (job, first) = (JobID(rawValue: Int64(number + 1)), RecipientID(number * each + 1))
            let crew = ScriptedCrew(
                isConductor: false, free: [job: RecipientSet(first..<first + RecipientID(each))])
            let surroundings = Executor<ManualClock>.Surroundings(
                store: laboratory.store, sender: sender, crew: crew, clock: clock,
                now: { Laboratory.start.adding(clock.now.offset) }, random: laboratory.random,
                fingerprints: Fingerprinter(key: laboratory.store.fingerprintKey))
            let (report, end) = await run.work(on: job, shared, in: surroundings)
            #expect(end == .over && report.accepted == each)
        }
        let starts = instants.entries.sorted()
        #expect(starts.count == 3 * each)
        for place in starts.indices.dropFirst(rate) { #expect(starts[place] - starts[place - rate] >= .seconds(1)) }
    }

    /// A run that looks a moment later sees nothing of a short pause, and goes on with the job.
    @Test(arguments: ["tide", nil] as [String?])
    func `a job whose campaign is paused is left for now, and goes on when that is over`(_ paused: String?) async throws
    {
        let laboratory = Laboratory(population: 5)
        try laboratory.memory.commit([.pause(paused)])
        let sender = ScriptedSender(capacity: 50) { request, number in .accepted(request, number) }
        let job = JobID(rawValue: 1)
        var fcm = laboratory.fcm
        fcm.ramp = .zero
        let options = RunOptions(fcm: fcm, guards: GuardLimits())
        func end() async -> WorkerRun<ManualClock>.End {
            let shared = SharedSend(
                .sample([], due: Laboratory.start), within: TimeLimits(), ramped: .zero, options)
            let surroundings = Executor<ManualClock>.Surroundings(
                store: laboratory.store, sender: sender,
                crew: ScriptedCrew(isConductor: false, free: [job: [1, 2, 3, 4, 5]]), clock: laboratory.clock,
                now: { Laboratory.start.adding(laboratory.clock.now.offset) }, random: laboratory.random,
                fingerprints: Fingerprinter(key: laboratory.store.fingerprintKey))
            var run = WorkerRun(at: .emulator, clock: laboratory.clock)
            return await run.work(on: job, shared, in: surroundings).end
        }
        #expect(await end() == .paused)
        #expect(sender.requests.isEmpty)
        try laboratory.memory.commit([.resume(paused)])
        #expect(await end() == .over)
        #expect(sender.requests.count == 5)
    }
}
