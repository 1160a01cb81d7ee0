internal import FCM

/// The guards that are checked while a plan is made.
extension Planner {
    /// With sizes instead of members, `judgeBySizes` does this.
    mutating func checkLeaves(of subject: Plan.Subject, leaving: Int, of members: Int, isDeleted: Bool) {
        if sizes == nil { judgeLeaves(of: subject, leaving: leaving, of: members, isDeleted: isDeleted) }
    }

    mutating func judgeLeaves(of subject: Plan.Subject, leaving: Int, of members: Int, isDeleted: Bool) {
        let limit = settings.guards.maxUnsubscribePercent
        guard members >= 10, isDeleted ? limit < 100 : leaving * 100 > limit * members else { return }
        // Rounded up, so that a blocked percentage is always shown above the limit.
        let percent = isDeleted ? 100 : (leaving * 100 + members - 1) / members
        refuse(
            .maxUnsubscribePercent, subject.name, limit: limit, actual: percent,
            "\(atLeast)\(leaving) would leave \(subject), \(percent) % of the \(members) herald put there; \(limit) % are allowed",
            about: subject)
    }

    mutating func checkSend(_ send: Plan.Send, of campaign: Campaign) {
        checkRecipients(of: send, campaign)
        if state.identity.endpoint == .fcm, !state.occurrences.values.contains(where: \.hasTried) {
            refuse(
                .freshRecord, send.campaign, limit: 0, actual: send.recipients,
                "the state has no sends, so herald cannot know whether '\(send.campaign)' was sent before")
        }
        let isNew = !(occurrences[send.campaign] ?? []).contains { $0.occurrence.hasTried }
        guard isNew else { return }
        // A file that was renamed, and whose old name has other content now, is no longer declared under that name.
        let declared = Dictionary(desired.sends.map { ($0.campaign.name.value, $0.campaign.contentDigest) }) {
            first, _ in first
        }
        let twin = state.occurrences
            .filter { $0.value.contentDigest == send.contentDigest && $0.value.hasTried }
            .filter { declared[$0.value.campaign] != send.contentDigest && $0.value.campaign != send.campaign }
            .min { $0.key < $1.key }
        if let twin {
            refuse(
                .looksRenamed, send.campaign, limit: 0, actual: 1,
                "campaign '\(send.campaign)' has the message and the target of \(twin.key), which was sent, and no file declares that under '\(twin.value.campaign)' any more"
            )
        }
    }

    private mutating func checkRecipients(of send: Plan.Send, _ campaign: Campaign) {
        // Without lists, a forecast says once that it cannot judge this.
        if listsSkipped, sizes != nil { return }
        let reach = reach(of: send, by: campaign)
        let limit = max(settings.guards.maxRecipients, campaign.acknowledged.maxRecipients ?? 0)
        if reach.lowerBound > limit {
            refuse(
                .maxRecipients, send.campaign, limit: limit, actual: reach.lowerBound,
                "campaign '\(send.campaign)' would reach \(atLeast)\(reach.lowerBound) recipients; \(limit) are allowed"
            )
        } else if reach.upperBound > limit {
            leaveUnjudged(.maxRecipients, "campaign '\(send.campaign)'")
        }
    }

    /// A snapshot shows only the least number that a guard can be sure of.
    private var atLeast: String { sizes == nil ? "" : "at least " }

    /// - Parameter reported: the serial that the newest report says was committed.
    mutating func checkAge(_ reported: Int64) {
        guard state.serial < reported else { return }
        refuse(
            .stateWentBack, "", limit: Int(reported), actual: Int(state.serial),
            "the state has serial \(state.serial), and a report beside it says that \(reported) was committed: it looks "
                + "like a restored backup, and what was sent since would be sent again")
    }

    mutating func checkAudiences() {
        for (name, size) in desired.audienceSizes.sorted(by: { $0.key < $1.key }) {
            guard let before = state.audienceSizes[name] else { continue }
            let refusals = plan.refusals.count
            defer { if plan.refusals.count > refusals { plan.refusedSizes[name] = before } }
            if before >= 100, size * 10 < before {
                refuse(
                    .audienceCollapse, name, limit: (before + 9) / 10, actual: size,
                    "audience '\(name)' shrank from \(before) to \(size) recipients")
            } else if size >= 100, before > 0, size > before * 10 {
                refuse(
                    .audienceGrowth, name, limit: before * 10, actual: size,
                    "audience '\(name)' grew from \(before) to \(size) recipients")
            }
        }
    }

    mutating func refuse(
        _ kind: Guard, _ name: String, limit: Int, actual: Int, _ message: String, about subject: Plan.Subject? = nil
    ) {
        plan.refusals.append(
            .init(kind: kind, name: name, limit: limit, actual: actual, message: message, subject: subject))
    }
}
