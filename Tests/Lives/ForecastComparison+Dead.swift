import FCM

@testable import HeraldCore

/// Where a forecast takes for living who is dead: a snapshot only counts them.
extension ForecastComparison {
    /// Whether only the forecast goes back to a wave of whom nothing is due. All of it may be dead.
    func waitsForDead(_ name: String, _ mark: Watermark?, _ shown: Watermark?) -> Bool {
        guard let mark, let shown, snapshot.sizes.tombstones > 0 else { return false }
        let isLocal = desired.sends.contains { $0.campaign.name.value == name && $0.campaign.schedule.local != nil }
        return isLocal && shown.at <= mark.at && shown.first == mark.first
    }

    /// Whether only the forecast goes on after a firing that it begins for nobody but some who may be dead.
    func startsForDead(_ name: String, _ mark: Watermark?, _ shown: Watermark?) -> Bool {
        guard let mark, let shown, mark.at < shown.at else { return false }
        let first = startedForDead.filter { $0.campaign == name }.compactMap(\.due).min()
        return first.map { mark.at >= $0 - 1 } ?? false
    }

    /// What the forecast begins for some who may be dead. In the plan, those who live wait for their window, and with
    /// them whoever is in a later stage.
    var startedForDead: [Plan.Send] {
        let dead = snapshot.sizes.tombstones
        guard forecast.overview.figures == .estimated, dead > 0 else { return [] }
        let started = sends(of: real)
        let waiting = Set(real.plan.waiting.map(\.occurrence))
        return sends(of: forecast).values.filter { shown in
            let people = shown.members.union(shown.skipped.all)
            let isOfAll = shown.members == .target
            return started[shown.occurrence] == nil && waiting.contains(shown.occurrence) && !isOfAll
                && !people.isEmpty && (people.count <= dead || shown.staging != nil)
        }
    }
}
