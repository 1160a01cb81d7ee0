/// Recipients by state. No recipient is in two states at once.
package struct Partition<State: Hashable & Sendable>: Hashable, Sendable {
    /// Holds no empty sets.
    private var sets: [State: RecipientSet]

    package init() { sets = [:] }

    /// `nil` if a recipient is in two of the sets.
    package init?(_ sets: [State: RecipientSet]) {
        var seen = RecipientSet()
        for set in sets.values {
            guard seen.intersection(set).isEmpty else { return nil }
            seen.formUnion(set)
        }
        self.init(disjoint: sets)
    }

    /// For sets that are known to be disjoint. It does not check.
    package init(disjoint sets: [State: RecipientSet]) { self.sets = sets.filter { !$0.value.isEmpty } }

    /// The recipients in a state. Setting them replaces those in it, and takes the new ones out of the other states.
    package subscript(state: State) -> RecipientSet {
        get { sets[state] ?? [] }
        set {
            sets[state] = nil
            move(newValue, to: state)
        }
    }

    /// Puts members into one state and out of all others. `nil` takes them out of all.
    package mutating func move(_ members: RecipientSet, to state: State?) {
        for (other, set) in sets where other != state {
            let rest = set.subtracting(members)
            sets[other] = rest.isEmpty ? nil : rest
        }
        if let state, !members.isEmpty { sets[state, default: []].formUnion(members) }
    }

    package func state(of recipient: RecipientID) -> State? { sets.first { $0.value.contains(recipient) }?.key }

    /// Recipients in any of the states.
    package func union(of states: some Sequence<State>) -> RecipientSet {
        states.reduce(into: RecipientSet()) { $0.formUnion(self[$1]) }
    }

    /// Recipients in any state.
    package var all: RecipientSet { union(of: states) }

    /// The states that are not empty.
    package var states: some Collection<State> { sets.keys }

    package var counts: [State: Int] { sets.mapValues(\.count) }

    package var isEmpty: Bool { sets.isEmpty }
}
