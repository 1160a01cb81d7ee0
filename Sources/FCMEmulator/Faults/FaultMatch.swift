/// Which requests a script's entry is for.
struct FaultMatch: Hashable, Sendable {
    var service: Service.Name?
    var registration: String?
    var topic: String?
    /// Of those that fit so far, counted from 1: each so-many-th, the first so many, those after so many.
    var every: Int?
    var first: Int?
    var after: Int?
    /// From 0 to 1, drawn for each by its number and the seed: the same script makes the same choice.
    var probability: Double?
    var seed: Int64 = 0

    /// Whether a request is counted.
    func fits(_ subject: FaultSubject) -> Bool {
        if let service, service != subject.service { return false }
        if let registration, !subject.registrations.contains(registration) { return false }
        if let topic, !subject.topics.contains(topic) { return false }
        return true
    }

    /// Whether the request with this number among those that fit is chosen.
    func chooses(_ number: Int) -> Bool {
        if let every, !number.isMultiple(of: every) { return false }
        if let first, number > first { return false }
        if let after, number <= after { return false }
        if let probability { return draw(number) < probability }
        return true
    }

    /// The first number that the counts let through. `nil` where they let none.
    var firstChoice: Int? {
        let step = every ?? 1
        let (number, overflow) = ((after ?? 0) / step + 1).multipliedReportingOverflow(by: step)
        return overflow || number > first ?? .max ? nil : number
    }

    /// From 0 on, below 1.
    private func draw(_ number: Int) -> Double {
        let bits = Int(truncatingIfNeeded: Int(seed).scrambled ^ UInt64(number)).scrambled
        return Double(bits >> 11) / Double(1 << 53)
    }
}
