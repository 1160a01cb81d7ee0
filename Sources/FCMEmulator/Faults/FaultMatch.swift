/// Which requests an entry of a fault script applies to.
struct FaultMatch: Hashable, Sendable {
    var service: Service.Name?
    /// One of the endpoints of `oauth`.
    var endpoint: SignInService.Endpoint?
    var registration: String?
    var topic: String?
    /// These count the requests that match so far, from 1: every n-th one, the first n, or all after the first n.
    var every: Int?
    var first: Int?
    var after: Int?
    /// From 0 to 1. The choice depends on the request's number and the seed, so a script always chooses the same
    /// requests.
    var probability: Double?
    var seed: Int64 = 0

    /// Whether a request matches and is counted.
    func fits(_ subject: FaultSubject) -> Bool {
        if let service, service != subject.service { return false }
        if let endpoint, endpoint != subject.endpoint { return false }
        if let registration, !subject.registrations.contains(registration) { return false }
        if let topic, !subject.topics.contains(topic) { return false }
        return true
    }

    /// Whether the request with this number is chosen.
    func chooses(_ number: Int) -> Bool {
        if let every, !number.isMultiple(of: every) { return false }
        if let first, number > first { return false }
        if let after, number <= after { return false }
        if let probability { return draw(number) < probability }
        return true
    }

    /// The first number that can be chosen. `nil` if there is none.
    var firstChoice: Int? {
        let step = every ?? 1
        let (number, overflow) = ((after ?? 0) / step + 1).multipliedReportingOverflow(by: step)
        return overflow || number > first ?? .max ? nil : number
    }

    /// A number from 0 up to, but not including, 1.
    private func draw(_ number: Int) -> Double {
        let bits = Int(truncatingIfNeeded: Int(seed).scrambled ^ UInt64(number)).scrambled
        return Double(bits >> 11) / Double(1 << 53)
    }
}
