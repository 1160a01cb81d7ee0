import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// Campaigns to preview, at 2026-12-01T08:00:00Z.
enum PreviewSamples {
    static let now = Date(timeIntervalSince1970: 1_796_112_000)

    static let tide: [String: JSONValue] = [
        "notification": ["title": "High tide", "body": "18:42 at Ostia"], "data": ["spot": "ostia"],
    ]

    static func campaign(
        _ target: Campaign.Target, message: [String: JSONValue] = tide, schedule: Schedule = Schedule(),
        delivery: Campaign.Delivery = .init()
    ) -> Campaign {
        let place = SourceRange(file: "tide.yaml")
        return Campaign(
            name: Located("tide-rome", at: place), target: Located(target, at: place),
            message: Located(message, at: place), schedule: schedule, delivery: delivery)
    }

    static func surroundings(
        _ listed: [Registration] = [], signsIn: Bool = true, fingerprints: Fingerprinter? = nil,
        platforms: [Platform] = Platform.allCases
    ) -> Preview.Surroundings {
        var settings = Settings(project: "tide-app")
        settings.senderID = "123456789012"
        let registrations = listed.enumerated().map { (RecipientID($0 + 1), $1) }
        return Preview.Surroundings(
            settings: settings, registrations: Dictionary(uniqueKeysWithValues: registrations),
            endpoint: "https://fcm.googleapis.com", signsIn: signsIn, fingerprints: fingerprints, platforms: platforms)
    }

    /// A send to an audience of 62 that expires, seen half an hour before it is due.
    static func listed() throws -> Preview {
        let campaign = campaign(
            .audience("anglers"),
            message: tide.merging(["apns": ["headers": ["apns-push-type": "alert"]]]) { $1 },
            schedule: Schedule(.at(now.adding(.seconds(1800)))), delivery: .init(expiresAfter: .seconds(4 * 3600)))
        let registrations = (1...62).map { Registration.fid($0) }
        return try Preview(
            of: DesiredSend(campaign: campaign, members: RecipientSet(1...62)),
            in: surroundings(registrations), at: now)
    }
}
