internal import Dispatch
internal import Synchronization

extension Array where Element: Sendable {
    /// Maps the elements on all cores. The results keep their order.
    ///
    /// - Parameter size: how many elements a core takes at once: enough to be worth the hand-over, and so few that no core
    ///   waits long for another.
    func mappedConcurrently<Value: Sendable>(
        inParts size: Int = 16, _ transform: @Sendable (Element) -> Value
    ) -> [Value] {
        guard count > size else { return map(transform) }
        let parts = (count + size - 1) / size
        let mapped = Mutex(Array<[Value]>(repeating: [], count: parts))
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let values = self[(part * size)..<Swift.min(count, (part + 1) * size)].map(transform)
            mapped.withLock { $0[part] = values }
        }
        return mapped.withLock { $0.flatMap(\.self) }
    }
}
