import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ShareIntervalTests {
    /// Newcombe's table of Wilson's interval without correction (Statistics in Medicine 17, 1998, method 3).
    @Test(arguments: [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718),
    ])
    func `the interval is Wilson's`(_ count: Int, _ sample: Int, _ low: Double, _ high: Double) throws {
        let interval = try #require(ShareInterval(count, of: sample))
        #expect(abs(interval.low - low) < 0.000_051 && abs(interval.high - high) < 0.000_051, "\(interval)")
        let mirrored = try #require(ShareInterval(sample - count, of: sample))
        #expect(abs(mirrored.low - (1 - interval.high)) < 1e-12 && abs(mirrored.high - (1 - interval.low)) < 1e-12)
    }

    @Test func `shares are from 0 to 1, and the share that was found is in its interval`() throws {
        for sample in [1, 2, 7, 100, 1_000_000] {
            for count in Set([0, 1, sample / 2, sample - 1, sample]) {
                let interval = try #require(ShareInterval(count, of: sample))
                #expect(0 <= interval.low && interval.high <= 1)
                #expect(interval.low <= interval.share && interval.share <= interval.high)
            }
        }
    }

    @Test(arguments: [(0, 0), (-1, 5), (6, 5), (1, -1)])
    func `nothing is no sample`(_ count: Int, _ sample: Int) { #expect(ShareInterval(count, of: sample) == nil) }

    /// 100,000 registrations, of which some have drifted. Each seed draws another thousand of them.
    @Test(arguments: [0.01, 0.05, 0.31])
    func `in 95 of 100 samples the true share lies in the interval`(_ share: Double) throws {
        let population = 20_000
        let seed: UInt64 = 20_261_125
        var random = SeededRandom(seed: seed)
        let drifted = RecipientSet(
            (1...RecipientID(population)).filter { _ in Double.random(in: 0..<1, using: &random) < share })
        let truth = Double(drifted.count) / Double(population)
        let registrations = (1...population).map { Registration.fid($0) }
        let samples = 400
        var covered = 0
        for number in 0..<samples {
            var sample = SurveySample(of: 1000, seed: "\(seed) \(number)")
            for (place, registration) in registrations.enumerated() { sample.add(RecipientID(place + 1), registration) }
            let members = sample.members
            #expect(members.count == 1000)
            let interval = try #require(ShareInterval(members.intersection(drifted).count, of: members.count))
            if interval.low <= truth, truth <= interval.high { covered += 1 }
        }
        let percent = Double(covered) * 100 / Double(samples)
        // Drawn without replacement, a twentieth of the population: the interval is a little wider than it has to be.
        #expect((93...97.5).contains(percent), "\(percent) %, with the seed \(seed)")
    }
}
