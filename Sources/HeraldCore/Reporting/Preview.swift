package import FCM

/// What a campaign's next send puts on the wire, and what devices make of it. It holds no registration and no key.
package struct Preview: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    package var target: Campaign.Target
    /// When the send begins: now, or when it is due.
    package var at: Date
    /// The first of the send's requests to each class of recipients; none where nobody is to be sent to.
    package var requests: [ShownRequest] = []
    /// How many requests the send makes.
    package var requestCount: Int
    /// What devices make of the message of each class.
    package var devices: [DevicePayload] = []
    package var warnings: [String] = []

    /// One HTTP request with its secrets replaced by what they are.
    package struct ShownRequest: Hashable, Sendable {
        package var method: String
        package var url: String
        package var headers: [String: String]
        package var body: JSONValue
    }

    /// What a preview depends on besides the campaign.
    package struct Surroundings: Sendable {
        package var settings: Settings
        /// How listed recipients are reached.
        package var registrations: [RecipientID: Registration]
        /// The address that FCM's paths are appended to, without a slash at the end.
        package var endpoint: String
        /// Whether requests carry an access token; those to an emulator do not.
        package var signsIn: Bool
        /// Names registrations as reports do; without it they are only counted.
        package var fingerprints: Fingerprinter?
        package var platforms: [Platform]

        package init(
            settings: Settings, registrations: [RecipientID: Registration], endpoint: String,
            signsIn: Bool, fingerprints: Fingerprinter? = nil, platforms: [Platform] = Platform.allCases
        ) {
            self.settings = settings
            self.registrations = registrations
            self.endpoint = endpoint
            self.signsIn = signsIn
            self.fingerprints = fingerprints
            self.platforms = platforms
        }
    }

    /// Throws when the message cannot be written as JSON.
    package init(of wanted: DesiredSend, in surroundings: Surroundings, at now: Date) throws {
        let campaign = wanted.campaign
        let timing = Timing(campaign, now)
        self.campaign = campaign.name.value
        occurrence = OccurrenceID(campaign: campaign.name.value, due: timing.due, revision: campaign.revision)
        target = campaign.target.value
        at = timing.at
        requestCount = wanted.members.count
        warnings = timing.warnings
        if !campaign.enabled { warnings.append("the campaign is disabled: no run sends it") }
        if requestCount == 0 { warnings.append("there is nobody to send to") }

        let isOne = campaign.target.value.isOneRequest(campaign.delivery)
        let work = try StepWork(
            .send(Plan.Send(wanted, occurrence, timing)), key: Self.anyKey, isDryRun: false, now: timing.at)
        for (_, sample) in campaign.content.samples(of: wanted.members) {
            let registration = isOne ? nil : sample.flatMap { surroundings.registrations[$0] }
            // Without a recipient there is no request, and devices still get the message it would carry.
            let addressee = Addressee(
                id: sample ?? 0, registration: isOne ? nil : registration ?? Self.anyRegistration)
            try show(work.request(for: [addressee]), to: registration, in: surroundings)
        }
        noteSize()
    }

    /// Adds a request and what devices make of its message.
    private mutating func show(
        _ call: Request?, to registration: Registration?, in surroundings: Surroundings
    ) throws {
        guard let call else { return }
        let settings = surroundings.settings
        let project = Project(id: settings.project, senderID: settings.senderID.flatMap { SenderID(rawValue: $0) })
        let wire = call.wire(project: project)
        var body = try JSONValue(parsing: wire.body).object ?? [:]
        var message = body["message"]?.object ?? [:]
        for (field, name) in Self.masks(target, registration, requestCount, surroundings.fingerprints)
        where message[field] != nil {
            message[field] = .string(name)
        }
        message.hideLiveActivity()
        body["message"] = .object(message)
        if requestCount > 0 { requests.append(ShownRequest(wire, .object(body), surroundings)) }
        devices += surroundings.platforms.map { platform in
            DevicePayload(of: message, on: platform, stamp: .placeholder(settings, at))
        }
    }

    /// Never shown: whatever is addressed by it is named instead.
    private static let anyKey = NotificationKey(rawValue: "key")
    private static let anyRegistration = Registration(String(repeating: "c", count: 22))

    /// What stands in the fields that hold secrets.
    private static func masks(
        _ target: Campaign.Target, _ first: Registration?, _ count: Int, _ fingerprints: Fingerprinter?
    ) -> [(field: String, name: String)] {
        if let first {
            let name = fingerprints?.name(first) ?? "<registration 1 of \(count)>"
            return [(first.kind.rawValue, name)]
        }
        if case .group(let group) = target { return [("token", "<notification key of \(group)>")] }
        return []
    }

    /// FCM's pages disagree on the limit for sends that fan out by topic.
    private mutating func noteSize() {
        let largest = devices.map(\.size).max() ?? 0
        guard !target.topics.isEmpty, (2049...DevicePayload.maximumSize).contains(largest) else { return }
        warnings.append("\(largest) bytes: by one of FCM's pages a message to topics has at most 2048")
    }
}

extension DesiredSend {
    /// Whose requests a preview shows, where each recipient has one of their own.
    package var sampled: [RecipientID] { campaign.content.samples(of: members).compactMap(\.sample) }
}

extension Preview {
    /// Which occurrence is shown, and when it is sent.
    fileprivate struct Timing {
        var due: Date?
        var at: Date
        var warnings: [String] = []

        init(_ campaign: Campaign, _ now: Date) {
            at = now
            switch campaign.schedule.times {
            case .once: break
            case .at(let date):
                due = date
                let isTooLate = now > date.adding(campaign.schedule.maxLateness)
                if isTooLate { warnings.append("it was due at \(date.rfc3339) and is too late to be sent") }
                if date > now || isTooLate { at = date }
            case .cron:
                due = campaign.schedule.next(after: now)
                if let due { at = due } else { warnings.append("its schedule is over") }
            }
        }
    }
}

extension Plan.Send {
    /// All of a campaign's occurrence, as if none of it had been sent.
    fileprivate init(_ wanted: DesiredSend, _ occurrence: OccurrenceID, _ timing: Preview.Timing) {
        let campaign = wanted.campaign
        self.init(
            campaign: campaign.name.value, occurrence: occurrence, revision: campaign.revision, due: timing.due,
            target: campaign.target.value, contentDigest: campaign.contentDigest, content: campaign.content,
            deadline: nil, expiresAfter: campaign.delivery.expiresAfter, rate: campaign.delivery.rate,
            stopWhenRejectedPercent: campaign.delivery.stopWhenRejectedPercent,
            onUnknown: campaign.delivery.onUnknown, groupMembers: campaign.delivery.members, members: wanted.members,
            discovered: [], recipients: wanted.members.count, isResumed: false)
    }
}

extension Preview.ShownRequest {
    fileprivate init(_ wire: WireRequest, _ body: JSONValue, _ surroundings: Preview.Surroundings) {
        method = wire.method
        url = surroundings.endpoint + wire.path
        headers = Dictionary(wire.headers.map { ($0.name, $0.value) }) { first, _ in first }
        if surroundings.signsIn { headers["authorization"] = "Bearer <access token>" }
        self.body = body
    }
}

extension [String: JSONValue] {
    /// Its token names one device as a registration does.
    fileprivate mutating func hideLiveActivity() {
        guard var apns = self["apns"]?.object, apns["live_activity_token"] != nil else { return }
        apns["live_activity_token"] = "<live activity token>"
        self["apns"] = .object(apns)
    }
}

extension DevicePayload.Stamp {
    fileprivate static func placeholder(_ settings: Settings, _ instant: Date) -> Self {
        .init(
            messageID: "<message id>", installation: "<fid>", sender: settings.senderID ?? "<project number>",
            secondsSince1970: Int(instant.timeIntervalSince1970))
    }
}
