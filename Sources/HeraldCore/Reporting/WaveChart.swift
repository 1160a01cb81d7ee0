internal import FCM

/// The waves of an occurrence in local time, as a picture: how many people are reached at which instant.
struct WaveChart {
    var occurrence: OccurrenceID
    var waves: [Plan.Wave]

    /// More waves than the world has clocks are not shown one by one.
    private static let shown = 40
    /// The longest bar, in characters.
    private static let width = 24

    /// What the picture says in words.
    var explanation: String {
        guard let first = waves.first, let last = waves.last else { return "" }
        let people = count(waves.reduce(0) { $0 + $1.recipients }, "recipient")
        return "from \(first.at.rfc3339) to \(last.at.rfc3339): \(people) in \(count(waves.count, "wave"))"
    }

    /// A line for each wave: `Tue 1 Dec 2026 00:07 UTC  ████  12,100  Asia/Tokyo and 2 more`.
    var lines: [String] {
        let most = waves.map(\.recipients).max() ?? 0
        let figures = waves.prefix(Self.shown).map { $0.recipients.grouped }
        let width = figures.map(\.count).max() ?? 0
        let lines = zip(waves, figures).map { wave, figure in
            let length = most == 0 ? 0 : max(wave.recipients > 0 ? 1 : 0, wave.recipients * Self.width / most)
            let bar = String(repeating: "█", count: length).padded(to: Self.width)
            let space = String(repeating: " ", count: width - figure.count)
            let state = wave.state == .ahead ? "" : ", \(wave.state.rawValue)"
            return "\(wave.clock)  \(bar)  \(space)\(figure)  \(wave.zoneWords)\(state)"
        }
        return lines + (waves.count > Self.shown ? ["and \(count(waves.count - Self.shown, "more wave"))"] : [])
    }

    /// With a heading, for text.
    var textLines: [String] { ["\(occurrence): \(explanation)"] + lines.map { "  \($0)" } }

    /// For a page.
    var json: JSONValue? {
        JSONValue.chart(
            occurrence.rawValue, explanation,
            waves.prefix(Self.shown).map { wave in
                Bar(
                    name: "\(wave.clock)\(wave.zones.isEmpty ? "" : " \(wave.zoneWords)")",
                    length: Double(wave.recipients),
                    figure: wave.recipients.grouped + (wave.state == .ahead ? "" : ", \(wave.state.rawValue)"))
            })
    }
}

extension Plan.Wave {
    /// `Tue 1 Dec 2026 00:07 UTC`
    fileprivate var clock: String { "\(Zone.utc.local(at: at).spoken) UTC" }
}

extension PlanDocument {
    /// What is sent now in local time, and for each other campaign the occurrence that comes next.
    var waveCharts: [WaveChart] {
        let sends = plan.steps.compactMap { if case .send(let send) = $0.work { send } else { nil } }
        let now = sends.map { WaveChart(occurrence: $0.occurrence, waves: $0.shownWaves) }
        var campaigns = Set(sends.filter { $0.waves != nil }.map(\.campaign))
        let next = overview.upcoming.filter { !$0.waves.isEmpty && campaigns.insert($0.occurring.campaign).inserted }
        return (now + next.map { WaveChart(occurrence: $0.occurring.occurrence, waves: $0.waves) })
            .filter { !$0.waves.isEmpty }
    }
}
