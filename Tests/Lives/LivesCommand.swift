import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// `lives [COUNT [SEED]]`: lives so many random lives from that seed on, and tells the shortest form of every kind of
/// finding. `WITHOUT` and `SPARING` name what happens in none of them. With `WHOLE` no life is made shorter, which takes
/// minutes for some.
@main
struct LivesCommand {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        let (count, first) = (arguments.first ?? 1_000, arguments.dropFirst().first ?? 1)
        var kinds: [String: (count: Int, finding: LifeFinding)] = [:]
        var failures = 0
        let begin = ContinuousClock.now
        let isWhole = ProcessInfo.processInfo.environment["WHOLE"] != nil
        for seed in first..<first + count {
            let finding = Life.check(
                seed, without: words("WITHOUT"), sparing: words("SPARING"), isShrunk: !isWhole && failures < 500,
                isTraced: ProcessInfo.processInfo.environment["TRACE"] != nil)
            guard let finding else { continue }
            failures += 1
            guard failures <= 500 else { continue }
            let known = kinds[finding.kind]
            let shortest = known.map { $0.finding.story.count <= finding.story.count ? $0.finding : finding } ?? finding
            kinds[finding.kind] = ((known?.count ?? 0) + 1, shortest)
        }
        for (kind, found) in kinds.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            print("\(found.count) × \(kind)\n\(found.finding.text)\n")
        }
        print("\(count) lives from seed \(first) in \(ContinuousClock.now - begin): \(failures) broke a promise")
        if failures > 0 { exit(1) }
    }

    private static func words<Word: RawRepresentable<String>>(_ name: String) -> Set<Word> {
        let text = ProcessInfo.processInfo.environment[name] ?? ""
        return Set(text.split(separator: ",").compactMap { Word(rawValue: String($0)) })
    }
}
