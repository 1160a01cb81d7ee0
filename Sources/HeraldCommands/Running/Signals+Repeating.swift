extension Signals {
    /// Does something at an interval until a signal comes.
    ///
    /// An error is reported and does not end the loop: a file half written or a lost network may be fine the next time.
    func repeating(every interval: Duration, _ body: () async throws -> Void) async throws {
        while true {
            let begin = ContinuousClock.now
            do { try await body() } catch {
                guard let failure = CommandFailure(error) else { throw error }
                guard first == 0 else { throw failure }
                failure.show()
            }
            let next = begin + interval
            // It may have lasted longer than the interval.
            repeat {
                if first != 0 { throw CommandFailure(.interrupted(signal: first)) }
                try await Task.sleep(for: max(.zero, min(.seconds(1), next - ContinuousClock.now)))
            } while ContinuousClock.now < next
        }
    }
}
