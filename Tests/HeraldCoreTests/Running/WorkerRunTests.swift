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
        let sender = ScriptedSender(capacity: 50) { request, number in
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
}
