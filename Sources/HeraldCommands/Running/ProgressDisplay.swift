import Foundation
import HeraldCore
import Synchronization

/// Shows a run's progress: a bar on a terminal, a line from time to time elsewhere.
final class ProgressDisplay: Sendable {
    private let console: Console
    private let begin = ContinuousClock.now
    private let state: Mutex<State>

    private struct State {
        var progress = RunProgress()
        var next: Duration
    }

    private static let betweenBars: Duration = .milliseconds(200)
    private static let betweenLines: Duration = .seconds(10)

    init(on console: Console) {
        self.console = console
        state = Mutex(State(next: console.showsBar ? .zero : Self.betweenLines))
    }

    func show(_ report: Report) {
        guard !console.isQuiet else { return }
        state.withLock { state in
            let elapsed = begin.duration(to: .now)
            state.progress.note(report, at: elapsed)
            guard elapsed >= state.next else { return }
            if console.showsBar {
                state.next = elapsed + Self.betweenBars
                // A character in the last column makes some terminals begin a new line.
                if let bar = state.progress.bar(width: console.width - 1, console.errors) { console.draw(bar) }
            } else {
                state.next = elapsed + Self.betweenLines
                if let line = state.progress.line { console.info("herald: \(line)\n") }
            }
        }
    }

    /// Removes the bar.
    func end() { console.eraseDrawn() }
}
