import Testing

@testable import FCMClient

struct PulseTests {
    private var pulse = Pulse()

    @Test mutating func `asks after a whole interval of silence, and buries after the next`() {
        #expect(pulse.beat(isBusy: true) == .nothing)
        #expect(pulse.beat(isBusy: true) == .ping)
        #expect(pulse.beat(isBusy: true) == .dead)
    }

    @Test mutating func `any word is life`() {
        _ = pulse.beat(isBusy: true)
        #expect(pulse.beat(isBusy: true) == .ping)
        pulse.heard()
        #expect(pulse.beat(isBusy: true) == .nothing)
        #expect(pulse.beat(isBusy: true) == .ping)
        #expect(pulse.beat(isBusy: true) == .dead)
    }

    @Test mutating func `does not ask while words come`() {
        for _ in 1...5 {
            pulse.heard()
            #expect(pulse.beat(isBusy: true) == .nothing)
        }
    }

    @Test mutating func `does not ask while nothing is waited for`() {
        for _ in 1...5 { #expect(pulse.beat(isBusy: false) == .nothing) }
        #expect(pulse.beat(isBusy: true) == .nothing)
        #expect(pulse.beat(isBusy: false) == .nothing)
        #expect(pulse.beat(isBusy: true) == .nothing)
        #expect(pulse.beat(isBusy: true) == .ping)
        #expect(pulse.beat(isBusy: false) == .nothing)
        #expect(pulse.beat(isBusy: true) == .nothing)
        #expect(pulse.beat(isBusy: true) == .ping)
    }
}
