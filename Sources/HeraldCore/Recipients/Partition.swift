/// Recipients by state, nobody in two states at once.
package struct Partition<State: Hashable & Sendable>: Hashable, Sendable {
    /// None of them empty.
    private var sets: [State: RecipientSet]

    package init() { sets = [:] }

    /// `nil` where somebody is in two of the sets.
    package init?(_ sets: [State: RecipientSet]) {
        var seen = RecipientSet()
        for set in sets.values {
            guard seen.intersection(set).isEmpty else { return nil }
            seen.formUnion(set)
        }
        self.init(disjoint: sets)
    }

    /// Of sets that are known to have nobody in common: nobody looks.
    package init(disjoint sets: [State: RecipientSet]) { self.sets = sets.filter { !$0.value.isEmpty } }

    /// Those in a state. Setting them replaces who was in it, and takes the new ones out of the other states.
    package subscript(state: State) -> RecipientSet {
        get { sets[state] ?? [] }
        set {
            sets[state] = nil
            move(newValue, to: state)
        }
    }

    /// Puts members into one state and out of the others; `nil`: out of all.
    package mutating func move(_ members: RecipientSet, to state: State?) {
        for (other, set) in sets where other != state {
            let rest = set.subtracting(members)
            sets[other] = rest.isEmpty ? nil : rest
        }
        if let state, !members.isEmpty { sets[state, default: []].formUnion(members) }
    }

    package func state(of recipient: RecipientID) -> State? { sets.first { $0.value.contains(recipient) }?.key }

    /// In any of the states.
    package func union(of states: some Sequence<State>) -> RecipientSet {
        states.reduce(into: RecipientSet()) { $0.formUnion(self[$1]) }
    }

    /// The states that somebody is in.
    package var states: some Collection<State> { sets.keys }

    package var counts: [State: Int] { sets.mapValues(\.count) }

    package var isEmpty: Bool { sets.isEmpty }
}
