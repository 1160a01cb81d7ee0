import NIOCore
import Testing

@testable import FCMClient

struct DeadlinesTests {
    private var deadlines = Deadlines()

    @Test mutating func `gives out those that are late, and keeps the others`() {
        for number in 1...5 { deadlines.append(AttemptID(rawValue: number), at: .uptimeNanoseconds(UInt64(number))) }
        #expect(deadlines.first == .uptimeNanoseconds(1))
        #expect(deadlines.takeLate(at: .uptimeNanoseconds(3)) == [1, 2, 3])
        #expect(deadlines.takeLate(at: .uptimeNanoseconds(3)) == [])
        #expect(deadlines.first == .uptimeNanoseconds(4))
    }

    @Test mutating func `does not grow with exchanges that are over`() {
        var current: [AttemptID: Int] = [1: 0]
        for number in 1...10_000 {
            let attempt = AttemptID(rawValue: number)
            current[attempt] = 0
            deadlines.append(attempt, at: .uptimeNanoseconds(UInt64(number)))
            if number > 1 { current[attempt] = nil }
            deadlines.compact(keeping: current)
        }
        #expect(deadlines.count < 100)
        #expect(deadlines.takeLate(at: .distantFuture).first == 1)
    }
}
