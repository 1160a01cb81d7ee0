import Crypto
import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct SurveySampleTests {
    private func sample(_ size: Int, _ seed: String, of ids: some Sequence<Int>) -> RecipientSet {
        var sample = SurveySample(of: size, seed: seed)
        for id in ids { sample.add(RecipientID(id), .fid(id)) }
        return sample.members
    }

    @Test(arguments: ["", "a", "2026-11"], [1, 10, 50])
    func `a sample is the smallest HMACs of registrations`(_ seed: String, _ size: Int) {
        let key = SymmetricKey(data: Array("herald.sample/1".utf8))
        let codes = (1...200).map { id in
            let unit = Array(seed.utf8) + [0] + Array(Registration.fid(id).rawValue.utf8)
            return (code: Array(HMAC<SHA256>.authenticationCode(for: unit, using: key)), id: RecipientID(id))
        }
        let smallest = codes.sorted { $0.code.lexicographicallyPrecedes($1.code) }.prefix(size).map(\.id)
        #expect(sample(size, seed, of: 1...200) == RecipientSet(smallest.sorted()))
    }

    @Test func `the order in which registrations come does not matter, and a larger sample has the smaller one`() {
        let small = sample(20, "s", of: 1...500)
        #expect(sample(20, "s", of: (1...500).reversed()) == small)
        #expect(sample(60, "s", of: 1...500).intersection(small) == small)
        #expect(sample(20, "t", of: 1...500) != small)
    }

    @Test func `a sample of more than there are is everybody`() {
        #expect(sample(10, "s", of: 1...4) == [1, 2, 3, 4])
        #expect(sample(10, "s", of: []) == [])
    }
}
