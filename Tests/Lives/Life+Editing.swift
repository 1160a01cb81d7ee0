import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What people do to the files and with their apps.
extension Life {
    // MARK: Lists

    func editList(_ act: LifeAct, _ random: inout SeededRandom) {
        guard let place = files.audiences.indices.randomElement(using: &random) else { return }
        let name = files.audiences[place].name
        switch act {
        case .addRow:
            let number = Int.random(in: 0..<population, using: &random)
            files.audiences[place].rows.append(current(number))
            tell("\(name) gets a row for device \(number)")
        case .removeRow:
            guard let row = files.audiences[place].rows.randomElement(using: &random) else { return }
            files.audiences[place].rows.removeAll { $0.recipientKey == row.recipientKey }
            tell("\(name) loses \(number(of: row.recipientKey))")
        case .emptyList:
            files.audiences[place].rows = []
            tell("\(name) is empty")
        default:
            files.audiences[place].rows = (0..<population).map { current($0) }
            tell("\(name) has everybody")
        }
    }

    /// The lists have other names and languages.
    func renamePeople() {
        files.issue += 1
        tell("the lists have other names and languages")
    }

    /// The author has an audience left out of everything, or not any more.
    func suppress(_ random: inout SeededRandom) {
        let name = anyAudience(&random)
        if let place = files.suppress.firstIndex(of: name) {
            files.suppress.remove(at: place)
        } else {
            files.suppress.append(name)
        }
        tell("suppress \(files.suppress)")
    }

    func changeInstallation(_ act: LifeAct, _ random: inout SeededRandom) {
        let number = Int.random(in: 0..<population, using: &random)
        switch act {
        case .rotate, .rotateBeside, .rotateUnlisted:
            let old = rotate(number, &random)
            let new = current(number)
            guard act != .rotateUnlisted else { return tell("device \(number) \(named(new)), no list knows") }
            for place in files.audiences.indices {
                guard let row = files.audiences[place].rows.firstIndex(of: old) else { continue }
                if act == .rotate {
                    files.audiences[place].rows.removeAll { $0.recipientKey == new.recipientKey }
                    files.audiences[place].rows.append(new)
                } else if !files.audiences[place].rows[row...].contains(new) {
                    files.audiences[place].rows.append(new)
                }
            }
            tell("device \(number) \(named(new)), the lists have it \(act == .rotate ? "instead" : "too")")
        case .catchUpLists:
            for place in files.audiences.indices {
                var seen: Set<RecipientKey> = []
                let keys = files.audiences[place].rows.map(\.recipientKey).filter { seen.insert($0).inserted }
                files.audiences[place].rows = keys.compactMap { Int($0.rawValue.suffix(17)) }.map { current($0) }
            }
            tell("the lists are as new as the apps")
        case .uninstall:
            let key = Registration.fid(number).recipientKey
            fcm.change { state in
                for registration in state.registered where registration.recipientKey == key {
                    state.dead.insert(registration)
                }
            }
            tell("device \(number) is uninstalled")
        case .comeBack:
            // After FCM's clean-up an app may register with the fid that it had.
            newest[number] = .fid(number)
            register(.fid(number))
            tell("device \(number) registers its fid")
        default:
            guard let topic = files.topics.randomElement(using: &random) else { return }
            let registration = current(number)
            guard !fcm.now.dead.contains(registration), fcm.now.topics[topic.name]?.contains(registration) != true
            else { return }
            fcm.change { _ = $0.topics[topic.name, default: []].insert(registration) }
            // herald cannot see this if it lost the answer to its own request for the pair, or if it subscribed the pair
            // before FCM dropped it for another registration of the app. It may have tried to unsubscribe it since.
            let recorded = known.snapshot.topics[topic.name] ?? RecordedTopic()
            let managed = recorded.managed.union(recorded.subscribing)
            let isUnheard =
                unheard[topic.name]?.contains(registration) ?? false
                || known.registrations(of: managed).values.contains(registration)
            if !isUnheard, owners[topic.name]?[registration] == nil {
                owners[topic.name, default: [:]][registration] = false
            }
            tell("the app of device \(number) subscribes to \(topic.name)")
        }
    }

    /// Gives an installation a registration that it did not have, and returns the one it had.
    private func rotate(_ number: Int, _ random: inout SeededRandom) -> Registration {
        let old = current(number)
        if old.kind == .token, Int.random(in: 0..<3, using: &random) == 0 {
            newest[number] = .fid(number)
        } else {
            tokens[number, default: 0] += 1
            newest[number] = .token(number, version: tokens[number] ?? 0)
        }
        register(current(number))
        return old
    }

    private func named(_ registration: Registration) -> String {
        registration.kind == .fid ? "has its fid" : "has token \(Int(registration.rawValue.suffix(9)) ?? 0)"
    }

    // MARK: Campaigns

    func editCampaign(_ act: LifeAct, _ random: inout SeededRandom) {
        guard let place = files.campaigns.indices.randomElement(using: &random) else { return }
        var campaign = files.campaigns[place]
        var words: String
        switch act {
        case .editMessage:
            campaign.version += 1
            words = "another message"
        case .editTarget:
            // Outcomes are known of people, not of topics.
            let isFollowed = files.campaigns.contains { $0.follows?.line == campaign.line }
            if campaign.follows != nil { return }
            campaign.target = isFollowed ? .audience(anyAudience(&random)) : anyTarget(&random)
            words = "target \(campaign.target)"
        case .raiseRevision:
            campaign.revision += 1
            words = "revision \(campaign.revision)"
            // What tried nobody begins anew, for whoever is listed then.
            for key in opened.keys where key.line == campaign.line && key.due != nil { opened[key] = nil }
            guard Int.random(in: 0..<3, using: &random) == 0 else { break }
            campaign.due = anyDue(&random)
            words += ", \(campaign.due)"
            lines[campaign.line]?.edited = now
            guard campaign.isDaily != files.campaigns[place].isDaily else { break }
            noteOtherKind(of: campaign)
        case .moveSchedule, .addHours, .removeHours:
            guard let due = edited(campaign.due, act, &random) else { return }
            campaign.due = due
            lines[campaign.line]?.edited = now
            words = "schedule \(due)"
        case .toggleEnabled:
            campaign.isEnabled.toggle()
            words = campaign.isEnabled ? "enabled" : "disabled"
            if campaign.isEnabled { lines[campaign.line]?.edited = now }
        default:
            campaign.onUnknown = Bool.random(using: &random) ? .hold : .resend
            if campaign.onUnknown == .resend { allowResending(campaign.line) }
            let isShort = Int.random(in: 0..<3, using: &random) == 0
            campaign.maxLateness = .seconds(Int.random(in: isShort ? 5...40 : 600...14_400, using: &random))
            campaign.expiresAfter = isShort ? nil : anyExpiry(&random)
            campaign.catchUp = Schedule.CatchUp.allCases.randomElement(using: &random) ?? .latest
            takePace(of: &campaign, &random)
            if campaign.onError == .hold { noteHeldErrors(of: campaign) }
            words =
                "on_error \(campaign.onError), on_unknown \(campaign.onUnknown), max_lateness \(campaign.maxLateness), \(campaign.catchUp)"
            if let rate = campaign.rate { words += ", rate \(rate)/s" }
            if let priority = campaign.priority { words += ", priority \(priority)" }
            if let expiry = campaign.expiresAfter { words += ", expires_after \(expiry)" }
        }
        noteClock(of: campaign, insteadOf: files.campaigns[place])
        files.campaigns[place] = campaign
        tell("\(campaign.name): \(words)")
    }

    /// What it does after an error, how fast it is at most, and what goes first.
    private func takePace(of campaign: inout LifeFiles.Campaign, _ random: inout SeededRandom) {
        campaign.onError = Int.random(in: 0..<6, using: &random) == 0 ? .hold : .retry
        campaign.priority = Int.random(in: 0..<3, using: &random) == 0 ? .random(in: 0...9, using: &random) : nil
        campaign.rate = nil
        var most = 4
        // It is lower than the workspace's.
        if case .limited(let limit) = settings.fcm.rate { most = min(most, limit - 1) }
        if most > 0, Int.random(in: 0..<6, using: &random) == 0 {
            campaign.rate = .random(in: 1...most, using: &random)
        }
    }

    /// Whoever waited for a repeat is unknown from the next run on, and sent to again only if somebody asks for that.
    private func noteHeldErrors(of campaign: LifeFiles.Campaign) {
        for occurrence in known.snapshot.occurrences.values {
            guard self.campaign(recordedAs: occurrence.campaign)?.line == campaign.line else { continue }
            let waiting = known.installations(of: occurrence.ledger?[.deferred] ?? [])
            excused[key(of: campaign, recorded: occurrence), default: []].formUnion(waiting)
            resent += waiting.count
        }
    }

    private func edited(
        _ due: LifeFiles.Campaign.Due, _ act: LifeAct, _ random: inout SeededRandom
    ) -> LifeFiles.Campaign.Due? {
        switch (due, act) {
        case (.at, .moveSchedule): return .at(anyTime(&random))
        case (.daily(_, let hours), .moveSchedule):
            return .daily(minute: .random(in: 0...59, using: &random), hours: hours)
        case (.daily(let minute, var hours), .addHours):
            hours.insert(.random(in: 0...23, using: &random))
            return .daily(minute: minute, hours: hours)
        case (.daily(let minute, var hours), .removeHours) where hours.count > 1:
            hours.remove(hours.sorted().randomElement(using: &random) ?? 0)
            return .daily(minute: minute, hours: hours)
        default: return nil
        }
    }

    private func anyExpiry(_ random: inout SeededRandom) -> Duration? {
        Bool.random(using: &random) ? .seconds(Int.random(in: 5...3600, using: &random)) : nil
    }

    /// A whole minute soon or a little ago.
    private func anyTime(_ random: inout SeededRandom) -> Date {
        let minutes =
            (now.timeIntervalSince1970 / 60).rounded(.down) + Double.random(in: -30...600, using: &random).rounded()
        return Date(timeIntervalSince1970: minutes * 60)
    }

    private func anyDue(_ random: inout SeededRandom) -> LifeFiles.Campaign.Due {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .once
        case 1: return .at(anyTime(&random))
        default:
            let hours = (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0...23, using: &random) }
            return .daily(minute: .random(in: 0...59, using: &random), hours: Set(hours))
        }
    }

    /// What was due once is a cron now, or the other way round. A cron begins with the run that sees it so.
    private func noteOtherKind(of campaign: LifeFiles.Campaign) {
        lines[campaign.line]?.mark = nil
        lines[campaign.line]?.owed = []
        clocks[campaign.line]?.left[""] = nil
    }

    private func anyTarget(_ random: inout SeededRandom) -> LifeFiles.Campaign.Target {
        let topics = files.topics.map(\.line)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: if let topic = topics.randomElement(using: &random) { return .topic(topic) }
        case 1 where topics.count > 1: return .condition(topics[0], not: topics[1])
        case 2: if let group = files.groups.randomElement(using: &random) { return .group(group.name) }
        default: break
        }
        return .audience(anyAudience(&random))
    }

    func addCampaign(_ random: inout SeededRandom) {
        let free = Self.campaignNames.filter { name in !files.campaigns.contains { $0.name == name } }
        guard let name = free.filter(isFree).randomElement(using: &random) else { return }
        lastLine += 1
        let due = anyDue(&random)
        var campaign = LifeFiles.Campaign(line: lastLine, name: name, due: due, target: anyTarget(&random))
        if Int.random(in: 0..<4, using: &random) == 0 { campaign.onUnknown = .resend }
        if Bool.random(using: &random) { campaign.members = .each }
        campaign.catchUp = Schedule.CatchUp.allCases.randomElement(using: &random) ?? .latest
        if Int.random(in: 0..<6, using: &random) == 0 { campaign.maxLateness = .seconds(20) }
        if Int.random(in: 0..<6, using: &random) == 0 { campaign.expiresAfter = anyExpiry(&random) }
        if Int.random(in: 0..<4, using: &random) == 0 { campaign.exclude = [anyAudience(&random)] }
        campaign.isPersonal = Int.random(in: 0..<4, using: &random) == 0
        campaign.isLocal = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<3, using: &random) == 0 { campaign.stages = .any(anyAudience(&random), &random) }
        if Int.random(in: 0..<6, using: &random) == 0 { campaign.edit(&random) }
        // With chances of its own, so that the rest of a life does not depend on them.
        var own = SeededRandom(seed: seed &* 7919 &+ UInt64(lastLine))
        takePace(of: &campaign, &own)
        campaign.tags = tags(of: lastLine)
        campaign.follows = following(of: campaign, &own)
        take(name)
        files.campaigns.append(campaign)
        lines[lastLine] = Line(names: [name])
        let follows = campaign.follows.map { ", who of line \($0.line) \($0.outcomes)" } ?? ""
        let opening = (campaign.isInLocalTime ? "by local time, " : "") + (campaign.staged?.text ?? "at once")
        tell("new campaign \(name) (line \(lastLine)), \(due), to \(campaign.target)\(follows), \(opening)")
    }

    // MARK: Names

    /// Whether a name may be used: no file has it, and no rename from it is still to be applied.
    private func isFree(_ name: String) -> Bool {
        files.campaigns.allSatisfy { campaign in
            campaign.name != name
                && (!campaign.previousNames.contains(name) || lines[campaign.line]?.seenName == campaign.name)
        }
    }

    /// The name is another campaign's from now on: those who had it forget it, and who is gone stays away.
    private func take(_ name: String) {
        for place in files.campaigns.indices { files.campaigns[place].previousNames.removeAll { $0 == name } }
        deletedCampaigns.removeAll { $0.name == name || $0.previousNames.contains(name) }
    }

    func nameCampaign(_ act: LifeAct, _ random: inout SeededRandom) {
        switch act {
        case .newCampaign: return addCampaign(&random)
        case .bringBackCampaign:
            guard let place = deletedCampaigns.indices.randomElement(using: &random),
                isFree(deletedCampaigns[place].name),
                lines[deletedCampaigns[place].line]?.seenName == deletedCampaigns[place].name,
                files.hasOutcomes(of: deletedCampaigns[place].follows?.line)
            else { return }
            var campaign = deletedCampaigns.remove(at: place)
            campaign.previousNames = []
            files.campaigns.append(campaign)
            lines[campaign.line]?.edited = now
            // Whoever deletes a campaign gives up what was due. A run that died may have seen it.
            lines[campaign.line]?.owed = []
            return tell("campaign \(campaign.name) is back")
        default: break
        }
        guard let place = files.campaigns.indices.randomElement(using: &random) else { return }
        if act == .deleteCampaign {
            let line = files.campaigns[place].line
            // What follows it goes with it.
            for campaign in files.campaigns where campaign.line == line || files.follows(campaign, line) {
                deletedCampaigns.append(campaign)
                freshlyDeleted.insert(campaign.name)
                tell("campaign \(campaign.name) is deleted")
            }
            let declared = files
            return files.campaigns.removeAll { $0.line == line || declared.follows($0, line) }
        }
        renameCampaign(at: place, &random)
    }

    func renameCampaign(at place: Int, _ random: inout SeededRandom) {
        let old = files.campaigns[place].name
        // Deleted and renamed in one edit, two campaigns become one.
        let free = Self.campaignNames.filter { isFree($0) && !freshlyDeleted.contains($0) }
        guard let name = free.randomElement(using: &random) else { return }
        var campaign = files.campaigns[place]
        take(name)
        campaign.previousNames = campaign.previousNames.filter { $0 != name } + [old]
        campaign.name = name
        files.campaigns[place] = campaign
        lines[campaign.line]?.names.insert(name)
        tell("campaign \(old) is called \(name) now")
    }
}
