/// What somebody at a webhook knows to be in trouble. They are not told after it that an older trouble of the same
/// thing is over: they would believe that all is well.
package struct KnownTroubles: Sendable {
    /// `Need.keys`
    private let keys: Set<String>
    private let notices: [Notice]
    /// All that is in trouble now, by `Notice.id`, whether they know of it or not. `nil` where nobody looked.
    private let current: Set<String>?

    /// How much of what is well again is in trouble again.
    private enum Share { case nothing, part, all }

    /// - Parameters:
    ///   - troubles: what is in trouble now (`Told.current`).
    ///   - news: what the webhook is still to be told.
    package init(of webhook: Webhook, in troubles: [String: Notice], before news: [Notice]) {
        let ids = Set(news.map(\.id))
        let known = troubles.filter { $0.value.concerns(webhook) && !ids.contains($0.value.id) }
        (keys, notices) = (Set(known.keys), Array(known.values))
        current = Set(troubles.values.map(\.id))
    }

    /// What somebody knows from one notice.
    package init(from notice: Notice) {
        (keys, notices, current) = (notice.keys, notice.isTrouble ? [notice] : [], nil)
    }

    /// What need not be told any more: that something was well before it came about again, and, if that is still to be
    /// told, that it was in trouble before. Nor a trouble that became another one of the same thing: they are told of
    /// that one, but not that the first is over, and would take the first for newer.
    ///
    /// - Parameter news: older ones that did not arrive.
    package func outdated(among news: [Notice]) -> [Notice] {
        let ids = Set(news.map(\.id))
        let over = news.filter { well in
            switch share(of: well) {
            case .nothing: false
            case .part: well.ended.map { ids.contains($0.id) } ?? false
            case .all: true
            }
        }
        let ended = Set(over.compactMap(\.ended?.id))
        // An older herald did not note which trouble is well again.
        let isNoted = !news.contains { $0.ended?.id.isEmpty == true }
        let kept = Set(news.compactMap(\.ended?.id)).union(isNoted ? current ?? ids : ids)
        return over + news.filter { ended.contains($0.id) || $0.isTrouble && !kept.contains($0.id) }
    }

    /// Whether some of what is well again is in trouble again. It is told once all of it is well.
    package func contradict(_ well: Notice) -> Bool { share(of: well) != .nothing }

    private func share(of well: Notice) -> Share {
        guard let ended = well.ended, !notices.isEmpty else { return .nothing }
        // All troubles of an occurrence are one thing: they are well again with the last of them.
        if let occurrence = well.occurrence {
            return notices.contains { $0.occurrence == occurrence } ? .all : .nothing
        }
        // An older herald did not note what it is about. It may be the same.
        guard !well.keys.isEmpty else {
            let isAgain = notices.contains {
                $0.occurrence == nil && $0.change == ended.change && $0.at > well.at
            }
            return isAgain ? .part : .nothing
        }
        return well.keys.isSubset(of: keys) ? .all : well.keys.isDisjoint(with: keys) ? .nothing : .part
    }
}
