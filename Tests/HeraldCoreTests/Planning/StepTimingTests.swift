import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The estimated time of steps, compared with the limiters that set their pace.
@Suite struct StepTimingTests {
    struct Sending: CustomTestStringConvertible {
        var rate = 1000
        var ramp: Duration = .seconds(10)
        /// The recipients, and the campaign's own rate.
        var sends: [(count: Int, own: Int?)]

        var testDescription: String { "\(rate)/s, ramp \(ramp): \(sends)" }
    }

    @Test(arguments: [
        Sending(ramp: .zero, sends: [(3000, nil)]),
        Sending(sends: [(50_000, nil)]), Sending(sends: [(2000, nil)]), Sending(rate: 100, sends: [(20, nil)]),
        Sending(sends: [(2000, nil), (2000, nil), (10_000, nil)]),
        Sending(sends: [(5000, 100)]), Sending(sends: [(20, 100)]),
        Sending(sends: [(100, 10), (5000, nil), (300, 50)]),
    ])
    func `as long as the limiters let them last`(_ sending: Sending) {
        var settings = FCMSettings()
        (settings.rate, settings.ramp) = (.limited(sending.rate), sending.ramp)
        var timing = StepTiming(settings)
        var shared = RateLimiter(settings.rate, ramp: settings.ramp)
        var now = Duration.zero
        for send in sending.sends {
            let estimate = timing.next(work(send.count, send.own)).whole.seconds
            let begin = now
            var own = send.own.map { RateLimiter(.limited($0)) }
            var left = send.count
            while left > 0 {
                let (granted, wait) = RateBudget().reserve(left, at: now, from: &shared, &own)
                left -= granted
                now += wait
            }
            let whole = (now - begin).seconds
            #expect(abs(estimate - whole) <= 0.03 * whole + 0.05, "\(estimate) s, and it lasts \(whole) s")
        }
    }

    @Test func `a whole ramp costs half of itself, once in a run`() {
        var settings = FCMSettings()
        (settings.rate, settings.ramp) = (.limited(1000), .seconds(60))
        var timing = StepTiming(settings)
        let first = timing.next(work(70_000, nil))
        #expect((first.whole, first.ramp) == (.seconds(100), .seconds(30)))
        let second = timing.next(work(70_000, nil))
        #expect((second.whole, second.ramp) == (.seconds(70), .zero))
    }

    @Test func `memberships take their own rate, and time passes meanwhile`() {
        var settings = FCMSettings()
        (settings.rate, settings.ramp, settings.subscriptionRate) = (.limited(1000), .seconds(60), .limited(10))
        let joining = Plan.Work.subscribe("tides", RecipientSet(1...600))
        var timing = StepTiming(settings)
        #expect(timing.next(joining).whole == .seconds(60))
        #expect(timing.next(work(70_000, nil)).ramp == .seconds(30), "the ramp begins with the first send")
        timing = StepTiming(settings)
        _ = timing.next(work(1, nil))
        _ = timing.next(joining)
        #expect(timing.next(work(70_000, nil)).ramp == .zero, "the rate grows on while others have the budget")
    }

    /// 600 in a minute are 10 in a second.
    @Test(arguments: [
        (Rate.limited(1000), nil, 1000, 100.0), (.limited(5), nil, 1000, 200), (.unlimited, nil, 1000, 100),
        (.limited(1000), 5, 1000, 200), (.limited(1000), 500, 1000, 100),
    ])
    func `no rate is faster than the project's quota`(_ rate: Rate, _ own: Int?, _ count: Int, _ seconds: Double) {
        var settings = FCMSettings()
        (settings.rate, settings.ramp) = (rate, .zero)
        let quota = RecordedState.SendQuota(perMinute: 600, at: Date(timeIntervalSince1970: 0))
        var timing = StepTiming(settings, quota: quota)
        #expect(timing.next(work(count, own)).whole == .seconds(seconds))
    }

    @Test func `without a limit it takes no time`() {
        var settings = FCMSettings()
        settings.rate = .unlimited
        var timing = StepTiming(settings)
        let time = timing.next(work(100_000, nil))
        #expect((time.whole, time.ramp) == (.zero, .zero))
        #expect(timing.next(work(100, 10)).whole == .seconds(10))
    }

    private func work(_ count: Int, _ own: Int?) -> Plan.Work {
        var send = DocumentSamples.send()
        send.members = RecipientSet(1...RecipientID(count))
        send.delivery.rate = own.map { .limited($0) }
        return .send(send)
    }
}
