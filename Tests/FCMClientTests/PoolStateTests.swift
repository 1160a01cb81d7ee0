import NIOCore
import Testing

@testable import FCMClient

/// A pool like HTTP/1.1 with two connections, one like HTTP/2 with a connection of three streams, and one with two of
/// these.
struct PoolStateTests {
    private var plain = PoolState(maximumConnections: 2, exchangesPerConnection: 1, idleLimit: .seconds(5))
    private var multiplexed = PoolState(maximumConnections: 1, exchangesPerConnection: 3, idleLimit: .seconds(5))

    private var several = PoolState(maximumConnections: 2, exchangesPerConnection: 3, idleLimit: .seconds(5))

    @Test mutating func `opens a connection for each waiter up to the most`() {
        #expect(plain.ask([1], at: .start) == [.open(1)])
        #expect(plain.ask([2], at: .start) == [.open(2)])
        #expect(plain.ask([3], at: .start) == [])
        #expect(plain.opened(2, serverLimit: 1, at: .start) == [.start(1, on: 2)])
        #expect(plain.opened(1, serverLimit: 1, at: .start) == [.start(2, on: 1)])
    }

    @Test mutating func `serves the line first come first served`() {
        _ = plain.ask([1], at: .start) + plain.opened(1, serverLimit: 1, at: .start)
        _ = plain.ask([2], at: .start) + plain.opened(2, serverLimit: 1, at: .start)
        _ = plain.ask([3], at: .start) + plain.ask([4], at: .start) + plain.ask([5], at: .start)
        plain.withdraw(4)
        #expect(plain.finished(1, on: 2, at: .start) == [.start(3, on: 2)])
        #expect(plain.finished(1, on: 1, at: .start) == [.start(5, on: 1)])
        #expect(plain.finished(1, on: 1, at: .start) == [])
    }

    @Test mutating func `opens one connection however many wait for streams`() {
        #expect(multiplexed.ask([1], at: .start) == [.open(1)])
        #expect((2...9).flatMap { multiplexed.ask([AttemptID(rawValue: $0)], at: .start) } == [])
        #expect(
            multiplexed.opened(1, serverLimit: 100, at: .start)
                == [.start(1, on: 1), .start(2, on: 1), .start(3, on: 1)])
    }

    @Test mutating func `fills a connection before it opens the next, and opens as many as have to wait for`() {
        #expect(several.ask([1, 2], at: .start) == [.open(1)])
        #expect(several.opened(1, serverLimit: 100, at: .start) == [.start(1, on: 1), .start(2, on: 1)])
        #expect(several.ask([3], at: .start) == [.start(3, on: 1)])
        #expect(several.ask([4], at: .start) == [.open(2)])
        #expect(several.opened(2, serverLimit: 100, at: .start) == [.start(4, on: 2)])
        #expect(several.finished(2, on: 1, at: .start) == [])
        #expect(
            several.ask([5, 6, 7, 8, 9], at: .start)
                == [.start(5, on: 2), .start(6, on: 2), .start(7, on: 1), .start(8, on: 1)])
    }

    @Test mutating func `opens what a whole batch needs at once`() {
        #expect(several.ask([1, 2, 3, 4, 5, 6, 7], at: .start) == [.open(1), .open(2)])
    }

    @Test mutating func `warms up once`() {
        #expect(several.warm(at: .start) == [.open(1)])
        #expect(several.warm(at: .start) == [])
        #expect(several.opened(1, serverLimit: 100, at: .start) == [])
        #expect(several.warm(at: .start) == [])
        #expect(several.ask([1], at: .start) == [.start(1, on: 1)])
    }

    @Test mutating func `a connection that takes no new exchanges is not ready for them`() {
        #expect(several.readyUntil == nil)
        _ = several.ask([1], at: .start)
        #expect(several.readyUntil == nil, "it only opens")
        _ = several.opened(1, serverLimit: 9, at: .start)
        #expect(several.readyUntil == .distantFuture)
        #expect(several.retire(1, at: .start) == [])
        #expect(several.readyUntil == nil, "it only finishes what it carries")
        #expect(several.warm(at: .start) == [.open(2)])
        #expect(several.warm(at: .start) == [])
    }

    @Test mutating func `a connection that was idle for too long is replaced before anybody waits for it`() {
        _ = multiplexed.warm(at: .start) + multiplexed.opened(1, serverLimit: 9, at: .start)
        #expect(multiplexed.readyUntil == .start + .seconds(5))
        #expect(multiplexed.warm(at: .start + .seconds(5)) == [])
        #expect(multiplexed.warm(at: .start + .milliseconds(5001)) == [.close(1), .open(2)])
    }

    @Test mutating func `follows the server's stream limit, also to nothing and back`() {
        _ = multiplexed.ask([1], at: .start) + multiplexed.ask([2], at: .start) + multiplexed.ask([3], at: .start)
        #expect(multiplexed.opened(1, serverLimit: 1, at: .start) == [.start(1, on: 1)])
        #expect(multiplexed.limit(1, to: 0, at: .start) == [])
        #expect(multiplexed.finished(1, on: 1, at: .start) == [])
        #expect(multiplexed.limit(1, to: 2, at: .start) == [.start(2, on: 1), .start(3, on: 1)])
    }

    @Test mutating func `uses a connection again that was idle for the limit`() {
        _ =
            plain.ask([1], at: .start) + plain.opened(1, serverLimit: 1, at: .start)
            + plain.finished(1, on: 1, at: .start)
        #expect(plain.ask([2], at: .start + .seconds(5)) == [.start(2, on: 1)])
    }

    @Test mutating func `replaces a connection that was idle for longer`() {
        _ =
            plain.ask([1], at: .start) + plain.opened(1, serverLimit: 1, at: .start)
            + plain.finished(1, on: 1, at: .start)
        #expect(plain.ask([2], at: .start + .milliseconds(5001)) == [.close(1), .open(2)])
    }

    @Test mutating func `does not call a connection idle that carries something`() {
        _ = multiplexed.ask([1], at: .start) + multiplexed.opened(1, serverLimit: 9, at: .start)
        #expect(multiplexed.ask([2], at: .start + .hours(1)) == [.start(2, on: 1)])
    }

    @Test mutating func `lets a retired connection finish what it carries while a new one opens`() {
        _ = multiplexed.ask([1], at: .start) + multiplexed.ask([2], at: .start)
        _ = multiplexed.opened(1, serverLimit: 9, at: .start)
        #expect(multiplexed.retire(1, at: .start) == [])
        #expect(multiplexed.ask([3], at: .start) == [.open(2)])
        #expect(multiplexed.finished(1, on: 1, at: .start) == [])
        #expect(multiplexed.finished(1, on: 1, at: .start) == [.close(1)])
        #expect(multiplexed.opened(2, serverLimit: 9, at: .start) == [.start(3, on: 2)])
    }

    @Test mutating func `replaces a connection that is gone once for everybody`() {
        _ = multiplexed.ask([1], at: .start) + multiplexed.opened(1, serverLimit: 1, at: .start)
        _ = multiplexed.ask([2], at: .start) + multiplexed.ask([3], at: .start)
        #expect(multiplexed.gone(1, at: .start) == [.open(2)])
        #expect(multiplexed.finished(1, on: 1, at: .start) == [])
        #expect(multiplexed.gone(1, at: .start) == [])
    }

    @Test mutating func `puts back what a dead connection did not take, before all others`() {
        _ = plain.ask([1], at: .start) + plain.opened(1, serverLimit: 1, at: .start)
        _ = plain.ask([2], at: .start) + plain.opened(2, serverLimit: 1, at: .start) + plain.ask([3], at: .start)
        #expect(plain.gone(1, at: .start) == [.open(3)])
        #expect(plain.askAgain(1, at: .start) == [])
        #expect(plain.opened(3, serverLimit: 1, at: .start) == [.start(1, on: 3)])
    }

    @Test mutating func `a connection that does not open fails those it would have carried`() {
        _ = (1...5).map { multiplexed.ask([AttemptID(rawValue: $0)], at: .start) }
        #expect(
            multiplexed.failed(1, .unreachable, at: .start)
                == [.fail(1, .unreachable), .fail(2, .unreachable), .fail(3, .unreachable), .open(2)])
        _ = plain.ask([1], at: .start) + plain.ask([2], at: .start) + plain.ask([3], at: .start)
        #expect(plain.failed(2, .timedOut, at: .start) == [.fail(1, .timedOut), .open(3)])
    }

    @Test mutating func `failing with nobody waiting opens nothing`() {
        _ = plain.ask([1], at: .start)
        plain.withdraw(1)
        #expect(plain.failed(1, .unreachable, at: .start) == [])
        #expect(plain.ask([2], at: .start) == [.open(2)])
    }
}

extension AttemptID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension ConnectionID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension NIODeadline {
    fileprivate static var start: NIODeadline { .uptimeNanoseconds(1) }
}
