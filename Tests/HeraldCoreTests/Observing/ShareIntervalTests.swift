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

    /// Some of 4,000 registrations have drifted. Each seed draws another 150 of them.
    @Test func `in 95 of 100 samples the true share lies in the interval`() throws {
        let population = 1...4000
        let registrations = population.map { (id: RecipientID($0), registration: Registration.fid($0)) }
        let drifted = [5, 20, 31].map { percent in
            RecipientSet(population.filter { $0 * 7919 % 100 < percent }.map { RecipientID($0) })
        }
        let seeds = 0..<1000
        var covered = drifted.map { _ in 0 }
        for seed in seeds {
            var sample = SurveySample(of: 150, seed: "\(seed)")
            for (id, registration) in registrations { sample.add(id, registration) }
            let members = sample.members
            #expect(members.count == 150)
            for (place, drifted) in drifted.enumerated() {
                let truth = Double(drifted.count) / Double(population.count)
                let interval = try #require(ShareInterval(members.intersection(drifted).count, of: members.count))
                if interval.low <= truth, truth <= interval.high { covered[place] += 1 }
            }
        }
        for covered in covered { #expect((930...970).contains(covered), "\(covered) of 1,000") }
    }
}
