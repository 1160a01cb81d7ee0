#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
package struct Occurring: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    package var at: Date
    package var local: LocalTime
    package var zone: Zone
    package var offset: String
    package var note: String
    package static func coming(of campaign: Campaign, after: Date, through: Date, limit: Int) -> [Occurring] {
        let dates: [Date] =
            switch campaign.schedule.times {
            case .once: [];
            case .at(let d): d > after && d <= through ? [d] : [];
            case .cron: campaign.schedule.occurrences(after: after, through: through, limit: limit)
            }
        return dates.map {
            Occurring(
                campaign: campaign.name.value,
                occurrence: OccurrenceID(campaign: campaign.name.value, due: $0, revision: campaign.revision), at: $0,
                local: campaign.schedule.zone.local(at: $0), zone: campaign.schedule.zone, offset: "", note: "")
        }
    }
}
