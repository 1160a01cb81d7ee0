import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// Campaigns to ten people who get at most one message a day.
protocol CapScene {
    var laboratory: Laboratory { get }
}

extension CapScene {
    static var cap: FrequencyCap { FrequencyCap(name: "all", max: 1, per: .seconds(86_400)) }
    static var people: RecipientSet { RecipientSet(1...10) }

    /// Requests start at the full rate at once.
    static func withoutRamp() -> Laboratory {
        var laboratory = Laboratory()
        laboratory.fcm.ramp = .zero
        return laboratory
    }

    /// Its name is its title, too.
    func campaign(_ name: String, priority: Int = 5) -> Campaign {
        var campaign = Campaign.tide(name, title: name)
        campaign.delivery.frequency.priority = priority
        campaign.delivery.frequency.caps = [Self.cap]
        return campaign
    }

    func input(_ sends: [DesiredSend], underWay: [Plan.Send] = []) -> Planner.Input {
        var desired = Desired()
        desired.sends = sends
        var settings = Settings(project: "p")
        (settings.frequencyCaps, settings.fcm) = ([Self.cap], laboratory.fcm)
        var input = Planner.Input(desired: desired, state: laboratory.memory.snapshot(), settings: settings)
        input.underWay = underWay
        return input
    }

    func plan(_ sends: [DesiredSend]) -> Plan { Planner.plan(input(sends), at: laboratory.now) }

    static func title(_ request: Request) -> String {
        request.json["message"]?["notification"]?["title"]?.string ?? ""
    }
}
