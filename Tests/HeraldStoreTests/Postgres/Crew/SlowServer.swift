import FCM
import Foundation
import HeraldTestSupport
import Synchronization

/// A server that takes its time, and remembers when each request came.
final class SlowServer: TaskSender {
    struct Arrival: Sendable {
        var registration: Registration
        var body: [UInt8]
        var instant: ContinuousClock.Instant
        /// Which process sent it.
        var process: Int
    }

    let capacity: Int
    private let process: Int
    private let log: Log
    private let latency: Duration

    /// What several processes sent.
    final class Log: Sendable {
        private let state = Mutex<(arrivals: [Arrival], answer: @Sendable (Arrival, Int) -> Exchange?)>(
            ([], { _, _ in nil }))

        var arrivals: [Arrival] { state.withLock(\.arrivals) }
        var count: Int { state.withLock(\.arrivals.count) }

        /// Answers to a request by its number, from 0. `nil` accepts it.
        func answer(_ body: @escaping @Sendable (Arrival, Int) -> Exchange?) { state.withLock { $0.answer = body } }

        fileprivate func add(_ arrival: Arrival) -> Exchange? {
            state.withLock { state in
                state.arrivals.append(arrival)
                return state.answer(arrival, state.arrivals.count - 1)
            }
        }
    }

    init(_ log: Log, process: Int, capacity: Int = 50, latency: Duration = .milliseconds(20)) {
        (self.log, self.process, self.capacity, self.latency) = (log, process, capacity, latency)
    }

    func exchange(_ request: Request) async -> Exchange {
        guard case .send(let body) = request, let json = try? JSONValue(parsing: body),
            let text = json["message"]?["fid"]?.string, let registration = Registration(text)
        else { return .response(Response(status: 400)) }
        let answer = log.add(Arrival(registration: registration, body: body, instant: .now, process: process))
        try? await Task.sleep(for: latency)
        return answer ?? .response(Response(status: 200, body: Array(#"{"name":"projects/p/messages/1"}"#.utf8)))
    }
}

extension SlowServer.Log {
    /// The most arrivals in any second.
    var busiestSecond: Int {
        let instants = arrivals.map(\.instant).sorted()
        var (most, first) = (0, 0)
        for (index, instant) in instants.enumerated() {
            while instants[first] + .seconds(1) <= instant { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    /// Whom more than one request came for.
    var repeated: [Registration] {
        Dictionary(grouping: arrivals, by: \.registration).filter { $0.value.count > 1 }.map(\.key)
    }

    var processes: Set<Int> { Set(arrivals.map(\.process)) }
}
