import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Of whom what came in another campaign, as an audience.
struct LifeFollowing: Hashable, Sendable {
    /// The audience's own name.
    var name: String
    /// The list that it chooses from.
    var from: String
    /// The other campaign. It has a lower number, so that none follows itself.
    var line: Int
    var outcomes: [String]
}

extension LifeFiles {
    /// Whether a campaign may follow that line: it sends to each person.
    func hasOutcomes(of line: Int?) -> Bool {
        guard let line else { return true }
        return campaigns.contains { campaign in
            guard campaign.line == line, case .audience = campaign.target else { return false }
            return true
        }
    }

    /// Whether a campaign follows the line, by others or not.
    func follows(_ campaign: Campaign, _ line: Int) -> Bool {
        guard let followed = campaign.follows?.line else { return false }
        return followed == line || campaigns.first { $0.line == followed }.map { follows($0, line) } ?? false
    }

    /// The document of the audience that it goes to, if it follows another one.
    func followed(by campaign: Campaign) -> String? {
        campaign.follows.map { follows in
            let name = campaigns.first { $0.line == follows.line }?.name ?? "none"
            return """
                kind: audience
                name: \(follows.name)
                from: \(follows.from)
                outcome: {campaign: \(name), is: [\(follows.outcomes.joined(separator: ", "))]}

                """
        }
    }
}

/// Follow-ups: nobody gets one of whom nothing came. Who gets one is herald's business: `Tests/HeraldCoreTests` know it.
extension Life {
    /// Some campaigns follow another one that sends to each person.
    func following(of campaign: LifeFiles.Campaign, _ random: inout SeededRandom) -> LifeFollowing? {
        guard case .audience(let name) = campaign.target, Int.random(in: 0..<3, using: &random) == 0, !hasPruned else {
            return nil
        }
        let others = files.campaigns.filter { if case .audience = $0.target { true } else { false } }
        guard let other = others.randomElement(using: &random) else { return nil }
        let outcomes = [
            ["accepted"], ["accepted"], ["never"], ["rejected", "unknown"], ["skipped"], ["capped", "outside_window"],
            ["missed", "superseded"], ["accepted", "never"],
        ]
        return LifeFollowing(
            name: "f\(campaign.line)", from: name, line: other.line,
            outcomes: outcomes.randomElement(using: &random) ?? [])
    }

    /// Somebody gets a follow-up: of those that FCM accepted a message for, it must have come.
    func checkFollowing(_ campaign: LifeFiles.Campaign, _ person: RecipientKey) throws {
        guard let follows = campaign.follows, follows.outcomes == ["accepted"], !isForgiven else { return }
        // A person may have said that it came.
        let isReached =
            delivered.contains { $0.key.line == follows.line && $0.value[person, default: 0] > 0 }
            || excused.contains { $0.key.line == follows.line && $0.value.contains(person) }
        if !isReached {
            throw LifeProblem(
                promise: "follows only what came", words: "line \(campaign.line) came to \(number(of: person))")
        }
    }
}
