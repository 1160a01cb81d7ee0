/// A part of a run's rates. The processes that send for one run have at most the whole of them together.
package struct Share: Hashable, Comparable, Sendable {
    /// Divides evenly among up to ten.
    package static let whole = Share(parts: 5040)
    package static let none = Share(parts: 0)

    /// Of `whole.parts`.
    package let parts: Int

    package init(parts: Int) { self.parts = parts }

    /// Rounded down, so that all parts of a rate together are never more than the rate. `nil` if nothing may start.
    ///
    /// `ShareBook` gives nobody a share that would be rounded to nothing. Only while shares still move to a smaller rate
    /// may one be worth less than a start in a second.
    package func of(_ rate: Rate) -> Rate? {
        guard case .limited(let limit) = rate else { return rate }
        let part = limit * parts / Self.whole.parts
        return part > 0 ? .limited(part) : nil
    }

    package static func < (one: Share, other: Share) -> Bool { one.parts < other.parts }
}

/// What one process may use of the rates.
///
/// A process that gives something up first stops using it, and then writes that down. Only what is written down as
/// given up is given to others, who may use it a second later. So no second has more starts than the rate, however the
/// shares move.
package struct ShareHolding: Hashable, Sendable {
    /// Names the process.
    package var holder: String
    package var share = Share.none
    /// What it may use until the share is usable.
    package var before = Share.none
    /// What it is asked to come down to.
    package var target = Share.none
    /// How long until `share` may be used.
    package var wait = Duration.zero
    /// Whether it has something to send.
    package var wants = false
    /// Whether it is that of the run itself.
    package var isConductor = false

    package init(holder: String) { self.holder = holder }

    /// What it may use now.
    package var allowed: Share { min(target, wait <= .zero ? share : before) }

    /// It uses no more than that any more.
    package mutating func giveUp(to share: Share) {
        guard share < self.share else { return }
        self.share = share
        before = min(before, share)
        target = min(target, share)
    }
}

/// Divides the rates among the processes that have something to send.
package enum ShareBook {
    /// How long nobody else may use what one has given up.
    package static let quarantine = Duration.seconds(1)
    /// A process with a smaller rate than this would only hold recipients back.
    private static let leastRate = 10

    /// The holdings that change. A share that grows may be used after `quarantine`, and is worth at least one start in a
    /// second: whoever cannot have that much yet, has nothing.
    ///
    /// - Parameters:
    ///   - holdings: of every process that may still send.
    ///   - rate: the smallest that they share.
    package static func changes(_ holdings: [ShareHolding], rate: Rate) -> [ShareHolding] {
        guard case .limited(let limit) = rate else { return [] }
        let goals = goals(holdings, limit)
        var free = Share.whole.parts - holdings.reduce(0) { $0 + $1.share.parts }
        var missing = 0
        var changed: [String: ShareHolding] = [:]
        for holding in holdings {
            guard let goal = goals[holding.holder], holding.share < goal else { continue }
            var given = holding.wait <= .zero ? max(0, min(goal.parts - holding.share.parts, free)) : 0
            if Share(parts: holding.share.parts + given).of(rate) == nil { given = 0 }
            free -= given
            missing += goal.parts - holding.share.parts - given
            guard given > 0 else { continue }
            var grown = holding
            grown.before = holding.allowed
            grown.share = Share(parts: holding.share.parts + given)
            (grown.target, grown.wait) = (grown.share, quarantine)
            changed[holding.holder] = grown
        }
        // Nobody gives anything up that nobody needs.
        for holding in holdings where missing > 0 {
            let goal = goals[holding.holder] ?? .none
            guard goal < holding.share, goal != holding.target else { continue }
            var asked = holding
            asked.target = goal
            changed[holding.holder] = asked
        }
        return holdings.compactMap { changed[$0.holder] }
    }

    /// The same for each of those who want something, as far as the rate goes round. The run itself comes first: nobody
    /// else sends what is not shared. Then comes who has something.
    private static func goals(_ holdings: [ShareHolding], _ limit: Int) -> [String: Share] {
        let wanting = holdings.filter(\.wants)
        let places = min(wanting.count, max(1, limit / leastRate))
        guard places > 0 else { return [:] }
        let others = wanting.filter { !$0.isConductor }
        let ordered =
            wanting.filter(\.isConductor) + others.filter { $0.share > .none } + others.filter { $0.share == .none }
        let chosen = ordered.prefix(places)
        let rest = Share.whole.parts % places
        return Dictionary(
            uniqueKeysWithValues: chosen.enumerated().map { index, holding in
                (holding.holder, Share(parts: Share.whole.parts / places + (index < rest ? 1 : 0)))
            })
    }
}
