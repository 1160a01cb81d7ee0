/// When requests arrived, and the figures computed from that.
struct Arrivals {
    /// When each request was complete, in nanoseconds on a monotonic clock.
    private var times: [UInt64] = []
    private var connections = 0
    private var inFlight = 0
    private var mostInFlight = 0

    private static let second: UInt64 = 1_000_000_000

    mutating func connect() { connections += 1 }

    mutating func arrive(_ count: Int, at time: UInt64) {
        times.append(contentsOf: repeatElement(time, count: count))
        inFlight += count
        mostInFlight = max(mostInFlight, inFlight)
    }

    mutating func answer(_ count: Int) { inFlight -= count }

    /// Starts counting anew. Open connections still count.
    mutating func forget() {
        times.removeAll(keepingCapacity: true)
        mostInFlight = inFlight
    }

    /// - Parameter offset: `rate_after` counts from this many nanoseconds after the first arrival.
    func json(after offset: UInt64) -> String {
        let times = times.sorted()
        let first = times.first ?? 0
        let settled = times.drop { $0 - first < offset }
        return """
            {"connections": \(connections), "count": \(times.count), "first_ns": \(first), "last_ns": \(times.last ?? 0), \
            "most_in_a_second": \(Self.mostInASecond(times)), "most_in_flight": \(mostInFlight), \
            "rate": \(Self.rate(times[...])), "rate_after": \(Self.rate(settled)), \
            "rate_after_seconds": \(Double(offset) / Double(Self.second))}

            """
    }

    /// Requests per second between the first and the last of `times`, which are sorted.
    private static func rate(_ times: ArraySlice<UInt64>) -> Double {
        guard let first = times.first, let last = times.last, last > first else { return 0 }
        return Double(times.count - 1) / (Double(last - first) / Double(second))
    }

    /// The most of `times`, which are sorted, in any span of one second.
    private static func mostInASecond(_ times: [UInt64]) -> Int {
        var (begin, most) = (0, 0)
        for (end, time) in times.enumerated() {
            while time - times[begin] >= second { begin += 1 }
            most = max(most, end - begin + 1)
        }
        return most
    }
}
