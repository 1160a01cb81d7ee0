package import FCM

/// A recipient that a store is to know by this registration from now on.
package struct Arrival: Hashable, Sendable {
    package var registration: Registration
    /// The number of the recipient if the state knows it by an older registration. `nil` if it needs a new number.
    package var id: RecipientID?

    package init(_ registration: Registration, id: RecipientID? = nil) {
        self.registration = registration
        self.id = id
    }
}

extension [Arrival] {
    /// The number of each arrival, as every store assigns them: in order, and the next free number for an arrival
    /// without one. Another process may have given out numbers in the meantime, also to some of these arrivals.
    ///
    /// - Parameters:
    ///   - others: recipients of the state that the caller has not compared the arrivals with.
    ///   - last: the highest number in the state.
    package func numbers(besides others: [KnownRecipient], after last: RecipientID) -> [RecipientID] {
        let known = Dictionary(others.map { ($0.registration.recipientKey, $0.id) }) { first, _ in first }
        var last = last
        return map { arrival in
            if let id = arrival.id { return id }
            // There are hardly ever any others, and a million lookups take time.
            if !known.isEmpty, let id = known[arrival.registration.recipientKey] { return id }
            last += 1
            return last
        }
    }
}

extension StateChange {
    /// What a store keeps of arrivals once they have numbers.
    package static func register(_ numbers: [RecipientID], _ arrivals: [Arrival]) -> StateChange {
        .register(Dictionary(zip(numbers, arrivals.map(\.registration))) { _, newer in newer })
    }
}
