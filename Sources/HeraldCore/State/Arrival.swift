package import FCM

/// Somebody whom a store is to know by this registration from now on.
package struct Arrival: Hashable, Sendable {
    package var registration: Registration
    /// Where the state knows the recipient by an older registration; `nil`: a number is to be given.
    package var id: RecipientID?

    package init(_ registration: Registration, id: RecipientID? = nil) {
        self.registration = registration
        self.id = id
    }
}

extension [Arrival] {
    /// Each one's number, as every store gives them: in order, the next to whoever has none. Somebody else may have
    /// given numbers meanwhile, also to one of these.
    ///
    /// - Parameters:
    ///   - others: recipients of the state that the caller has not compared these with.
    ///   - last: the highest number in the state.
    package func numbers(besides others: [KnownRecipient], after last: RecipientID) -> [RecipientID] {
        let known = Dictionary(others.map { ($0.registration.recipientKey, $0.id) }) { first, _ in first }
        var last = last
        return map { arrival in
            if let id = arrival.id { return id }
            // Hardly ever is there anybody, and a million keys cost time.
            if !known.isEmpty, let id = known[arrival.registration.recipientKey] { return id }
            last += 1
            return last
        }
    }
}

extension StateChange {
    /// What a store keeps of arrivals once they have their numbers.
    package static func register(_ numbers: [RecipientID], _ arrivals: [Arrival]) -> StateChange {
        .register(Dictionary(zip(numbers, arrivals.map(\.registration))) { _, newer in newer })
    }
}
