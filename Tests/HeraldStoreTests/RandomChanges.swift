import FCM
import Foundation
import HeraldCore
import HeraldTestSupport

/// Commits as a run makes them, in any order. The numbers are on both sides of the border between two chunks.
struct RandomChanges {
    private(set) var registrations: [RecipientID: Registration] = [:]
    private var random: SeededRandom
    private var next: RecipientID = 65_500
    /// What all changes so far make of an empty state.
    private var state = RecordedState(identity: OpenStore.identity)

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    var everybody: RecipientSet { RecipientSet(registrations.keys.sorted()) }

    /// This many random recipients. They may include 0, which is the target as a whole.
    mutating func someIDs(_ count: Int) -> [RecipientID] {
        (([0] + registrations.keys.sorted()).shuffled(using: &random)).prefix(count).map { $0 }
    }

    mutating func batch() -> [StateChange] {
        let others = (0..<Int.random(in: 0...6, using: &random)).map { _ in change() }
        let isInterning = Int.random(in: 0..<3, using: &random) == 0 || registrations.isEmpty
        return (isInterning ? [intern()] + others : others).filter { change in
            // A store refuses to open an id that is taken, and with it all other changes.
            if case .open(let id, let occurrence) = change, !state.isFree(id, for: occurrence.campaign) {
                return false
            }
            state.apply([change])
            return true
        }
    }

    private mutating func change() -> StateChange {
        switch Int.random(in: 0..<35, using: &random) {
        case 0: return .spendPlan("p\(Int.random(in: 0...5, using: &random))")
        case 1, 2, 3: return .members(topic(), some(), any(of: Membership.allCases), at: instant())
        case 4, 5:
            return .open(
                occurrence(),
                RecordedOccurrence(
                    campaign: campaign(), revision: .random(in: 1...3, using: &random),
                    due: Bool.random(using: &random) ? instant() : nil,
                    local: Bool.random(using: &random) ? LocalTime(latestAt: instant()) : nil,
                    contentDigest: "sha256:\(random.next())",
                    target: "topic:t0", begun: Bool.random(using: &random) ? instant() : nil))
        case 6, 7: return .outcome(occurrence(), some().union([0]), any(of: LedgerEntry.allCases))
        case 9:
            return .skip(
                occurrence(), some().union([0]), any(of: [.outsideWindow, .missed, .capped("promo")]) ?? .missed)
        case 10:
            return .reject(occurrence(), some().union([0]), code: "CODE_\(Int.random(in: 0...3, using: &random))")
        case 11: return .finish(occurrence(), at: instant())
        case 12: return .reopen(occurrence())
        case 13:
            return .audienceSizes(
                ["a": .random(in: 0...9, using: &random), "a\(Int.random(in: 0...3, using: &random))": 1])
        case 14:
            let next = Bool.random(using: &random) ? instant() : nil
            return .watermark(
                campaign(),
                Watermark(
                    at: instant(), schedule: "cron \(random.next() % 9)", next: next,
                    first: Bool.random(using: &random) ? instant() : nil))
        case 15: return .groupKey(group(), any(of: ["APA91b-1", "APA91b-2"]).flatMap(NotificationKey.init(rawValue:)))
        case 16, 17: return .groupMembers(group(), RecipientSet(some().prefix(20)), any(of: GroupMembership.allCases))
        case 18: return .pause(any(of: [campaign()]))
        case 19: return .resume(any(of: [campaign()]))
        case 20:
            let test = RecordedTest(
                campaign: campaign(), at: instant(), accepted: .random(in: 0...20, using: &random), rejected: 1,
                unknown: 0)
            let api = any(of: [TopicAPI.registrations, .iid]) ?? .auto
            let quota = StateChange.sendQuota(.random(in: 1...1_000_000_000, using: &random), at: instant())
            return any(of: [.test(test), .topicAPI(api, at: instant()), quota]) ?? quota
        case 21:
            // Renaming a campaign to its own name is refused when files are read.
            let (old, new) = (campaign(), campaign())
            return old == new ? .resume(nil) : .rename(campaign: old, to: new)
        case 22:
            let members = RecipientSet(some().prefix(3))
            guard Bool.random(using: &random), let id = Array(members).first else {
                return .forget(members, at: instant())
            }
            return .died(Tombstone(recipient: id, registration: .token(Int(id), version: 99), died: instant()))
        case 23: return Bool.random(using: &random) ? .supersede(RecipientSet(some().prefix(5))) : .readopt(formers())
        case 24: return .prune([occurrence(), occurrence()])
        case 25:
            let erased = RecipientSet(some().prefix(2))
            for id in erased { registrations[id] = nil }
            return .erase(erased)
        case 8: return starts()
        case 26 where Bool.random(using: &random):
            if Bool.random(using: &random) { return .suspend(occurrence(), at: instant()) }
            if Bool.random(using: &random) { return .done(occurrence(), Bool.random(using: &random)) }
            return .unseen(occurrence(), since: Bool.random(using: &random) ? instant() : nil)
        case 26:
            return .halt(occurrence(), ([nil] + RecordedOccurrence.Halt.allCases).randomElement(using: &random) ?? nil)
        case 27:
            let id = String(repeating: any(of: ["a", "b", "c"]) ?? "d", count: 40)
            return AppliedCommit(id: id, committed: instant()).map { .applied($0) } ?? .resume(nil)
        case 28:
            let names = (0..<Int.random(in: 0...2, using: &random)).map { _ in "campaign:\(campaign())" }
            return .approve(
                Dictionary(
                    names.map { name in
                        (
                            name,
                            RecordedApproval(
                                digest: "sha256:\(name)", size: any(of: [nil, 0, 84_210]) ?? nil, by: "anna",
                                at: instant())
                        )
                    }, uniquingKeysWith: { first, _ in first }))
        case 29 where Bool.random(using: &random):
            let second = Date(timeIntervalSince1970: instant().timeIntervalSince1970.rounded())
            return .waves(occurrence(), Partition(disjoint: [second: some().union([0])]))
        case 29 where Bool.random(using: &random): return .stages(occurrence(), stages())
        case 29: return .assign(occurrence(), classes())
        case 30 where Bool.random(using: &random): return .note(.lastRun, "{\"run\": \"\(random.next())\"}")
        case 30: return .revive(some())
        case 31:
            let number = any(of: [0, 1, 20] as [Int64])
            return .stamp("s\(random.next())", outgrowing: number)
        case 32:
            return .reclassify(topic(), some(), Reclassification.allCases.randomElement(using: &random) ?? .left)
        case 33 where Bool.random(using: &random): return .awaitFile(topic(), Bool.random(using: &random))
        case 33: return .observed(some(), at: instant())
        default:
            let all: [StateChange.Resource] = [
                .topic(topic()), .group(group()), .campaign(campaign()), .occurrence(occurrence()),
            ]
            return Bool.random(using: &random)
                ? .drop(any(of: all) ?? .topic("t0")) : .finish(occurrence(), at: instant())
        }
    }

    private mutating func stages() -> [RecordedStage] {
        let shares = [0, 10_000, 500_000, 1_000_000].prefix(Int.random(in: 0...4, using: &random))
        return shares.map { millionths in
            var stage = RecordedStage(
                share: StageShare(millionths: millionths), opened: instant(),
                planned: Int.random(in: 0...9, using: &random))
            if Bool.random(using: &random) {
                (stage.settled, stage.goesOn) = (instant(), Bool.random(using: &random))
                stage.figures = StageFigures(accepted: .random(in: 0...9, using: &random), dead: 1)
            }
            if Bool.random(using: &random) { stage.accepted = instant() }
            return stage
        }
    }

    private mutating func topic() -> TopicName { ["t0", "t1", "t2"].randomElement(using: &random) ?? "t0" }
    private mutating func group() -> GroupName { ["g0", "g1"].randomElement(using: &random) ?? "g0" }
    private mutating func campaign() -> String { "c\(Int.random(in: 0...3, using: &random))" }

    private mutating func occurrence() -> OccurrenceID {
        OccurrenceID(rawValue: "c\(Int.random(in: 0...3, using: &random))@once")
    }

    /// New recipients, and newer registrations of known ones.
    private mutating func intern() -> StateChange {
        var interned: [RecipientID: Registration] = [:]
        for id in next..<(next + .random(in: 1...40, using: &random)) { interned[id] = registration(of: id) }
        next += RecipientID(interned.count)
        for id in registrations.keys where Int.random(in: 0..<5, using: &random) == 0 {
            interned[id] = registration(of: id)
        }
        registrations.merge(interned) { _, new in new }
        return .register(interned)
    }

    private mutating func registration(of id: RecipientID) -> Registration {
        Bool.random(using: &random) ? .fid(Int(id)) : .token(Int(id), version: .random(in: 0...9, using: &random))
    }

    private mutating func some() -> RecipientSet {
        let share = Double.random(in: 0...1, using: &random)
        var chosen = RecipientSet()
        for id in registrations.keys.sorted() where Double.random(in: 0..<1, using: &random) < share {
            chosen.insert(id)
        }
        return chosen
    }

    private mutating func classes() -> Partition<MessageClass> {
        var classes = Partition<MessageClass>()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let recipients = MessageClass(
                locale: any(of: ["it", "pt-BR"]), variant: any(of: ["a", "none"]), isHoldout: any(of: [true]) ?? false)
            classes.move(some(), to: recipients)
        }
        return classes
    }

    /// Former numbers, given out or not.
    private mutating func formers() -> RecipientSet {
        let first = KnownRecipient.firstFormer
        return RecipientSet([first + .random(in: 0...9, using: &random)])
    }

    private mutating func starts() -> StateChange {
        let start = MessageStart(
            until: Date(timeIntervalSince1970: Double(Int.random(in: 0...9, using: &random) * 60)),
            tags: any(of: [[], ["promo"], ["news", "promo"]]) ?? [])
        switch Int.random(in: 0...5, using: &random) {
        case 0: return .unstarted(occurrence(), some())
        case 1: return .forgetStarts(until: start.until)
        case 2: return .counting(since: any(of: [instant()]))
        default: return .started(occurrence(), some(), start)
        }
    }

    private mutating func any<Value>(of values: [Value]) -> Value? {
        Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
    }

    /// A binary fraction, which seconds since 1970 represent exactly.
    private mutating func instant() -> Date { .at(Double(Int.random(in: 0...10_000_000, using: &random)) / 1024) }
}
