/// How long steps take at the allowed rates, one after the other.
struct StepTiming {
    private let settings: FCMSettings
    /// What the project may send, if FCM has told it. No rate is faster.
    private let quota: Rate?
    /// Time since the first send began. The ramp of the run's rate counts from there.
    private var sending: Duration?

    init(_ settings: FCMSettings, quota: RecordedState.SendQuota? = nil) {
        (self.settings, self.quota) = (settings, quota?.rate)
    }

    /// The least time that a step takes after the steps before it, and how much of that the ramp costs.
    mutating func next(_ work: Plan.Work) -> (whole: Duration, ramp: Duration) {
        if case .send(let send) = work { return self.send(work.requests, send.delivery.rate) }
        var whole = Duration.zero
        if case .limited(let rate) = settings.subscriptionRate {
            whole = .seconds(Double(work.requests) / Double(rate))
        }
        sending = sending.map { $0 + whole }
        return (whole, .zero)
    }

    /// - Parameter rate: the campaign's own.
    mutating func send(_ requests: Int, _ rate: Rate?) -> (whole: Duration, ramp: Duration) {
        let begin = sending ?? .zero
        sending = begin
        guard case .limited(let rate) = settings.rate.combined(with: rate).combined(with: quota) else {
            return (.zero, .zero)
        }
        let even = Double(requests) / Double(rate)
        let whole = seconds(for: Double(requests), at: Double(rate), from: begin.seconds)
        sending = begin + .seconds(whole)
        return (.seconds(whole), .seconds(whole - even))
    }

    /// During the ramp the run's own rate grows evenly. It is the limit until it reaches the rate of the send.
    private func seconds(for count: Double, at rate: Double, from begin: Double) -> Double {
        let even = count / rate
        let ramp = settings.ramp.seconds
        guard case .limited(let limit) = settings.rate, ramp > 0 else { return even }
        let growth = Double(limit) / ramp
        let reached = rate / growth
        guard begin < reached else { return even }
        let meanwhile = growth * (reached * reached - begin * begin) / 2
        return count <= meanwhile
            ? (begin * begin + 2 * count / growth).squareRoot() - begin
            : reached - begin + (count - meanwhile) / rate
    }
}
