import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct RunProgressTests {
    @Test func `tells the step under way, its rate and how long it still takes`() {
        var progress = RunProgress()
        #expect(progress.line == nil)
        progress.note(report([send(accepted: 6)]), at: .seconds(3))
        #expect(progress.line == "tide-rome: 6 of 100,000 (2/s), 0 rejected, 0 unknown, about 13 h 53 min left")
        progress.note(report([send(accepted: 12_294, rejected: 12)]), at: .seconds(13))
        #expect(
            progress.line
                == "tide-rome: 12,306 of 100,000 (1,230/s), 12 rejected, 0 unknown, about 1 min 12 s left")
        progress.note(report([send(accepted: 99_000, rejected: 12, unknown: 988)]), at: .seconds(23))
        #expect(progress.line == "tide-rome: 100,000 of 100,000 (8,769/s), 12 rejected, 988 unknown")
    }

    @Test func `the rate is that of the last ten seconds`() {
        var progress = RunProgress()
        for second in 0...20 {
            let done = second <= 10 ? second * 10 : 100 + (second - 10) * 1000
            progress.note(report([send(accepted: done)]), at: .seconds(second))
        }
        #expect(progress.line?.contains("(1,000/s)") == true)
    }

    @Test func `goes from step to step as they move, and passes over what is stopped or held`() {
        var (stopped, subscribing) = (send("ebb@once"), subscribe(planned: 50))
        stopped.stop(.interrupted)
        let standing = StepReport(
            Plan.Held(occurrence: .init(rawValue: "flood@once"), reason: "paused", resolve: "", remaining: 7))
        var progress = RunProgress()
        progress.note(report([stopped, standing, subscribing, send()]), at: .zero)
        #expect(progress.line?.hasPrefix("subscribe tides: 0 of 50 ") == true)
        subscribing.accepted = 20
        progress.note(report([stopped, standing, subscribing, send()]), at: .seconds(1))
        #expect(progress.line?.hasPrefix("subscribe tides: 20 of 50 (20/s)") == true)
        subscribing.accepted = 50
        progress.note(report([stopped, standing, subscribing, send(accepted: 400)]), at: .seconds(2))
        #expect(progress.line?.hasPrefix("tide-rome: 400 of 100,000 (400/s)") == true)
        // Steps that come due during the run are at the end, but go first.
        let urgent = send("storm@once", accepted: 30)
        progress.note(report([stopped, standing, subscribing, send(accepted: 400), urgent]), at: .seconds(3))
        #expect(progress.line?.hasPrefix("storm: 30 of 100,000 (30/s)") == true)
    }

    @Test(arguments: [
        (
            200,
            "tide-rome  [###############---------------]  50 %  5,000/s  49,990 accepted, 10 rejected, 0 unknown  10 s left"
        ),
        (95, "tide-rome  [#####-----]  50 %  5,000/s  49,990 accepted, 10 rejected, 0 unknown  10 s left"),
        (80, "tide-rome  50 %  5,000/s  49,990 accepted, 10 rejected, 0 unknown  10 s left"),
        (40, "tide-rome  50 %  5,000/s  10 s left"), (20, "tide-rome  50 %"), (6, "50 %"), (3, nil),
    ])
    func `a bar says less where there is less room`(_ width: Int, _ text: String?) {
        #expect(halfDone.bar(width: width) == text)
    }

    @Test func `a bar never is longer than it may be, colours aside`() {
        let colored = TextStyle(isColored: true)
        for width in 0...200 {
            let plain = halfDone.bar(width: width)
            #expect(plain?.count ?? 0 <= width)
            let stripped = halfDone.bar(width: width, colored)?
                .replacing("\u{1B}[31m", with: "").replacing("\u{1B}[0m", with: "")
            #expect(stripped == plain)
        }
        #expect(halfDone.bar(width: 200, colored)?.contains("\u{1B}[31m10 rejected\u{1B}[0m, 0 unknown") == true)
    }

    @Test func `says 100 per cent only when nobody is left`() {
        var progress = RunProgress()
        progress.note(report([send()]), at: .zero)
        progress.note(report([send(accepted: 99_999)]), at: .seconds(1))
        #expect(progress.bar(width: 20) == "tide-rome  99 %")
        progress.note(report([send(accepted: 100_000)]), at: .seconds(2))
        #expect(progress.bar(width: 20) == "tide-rome  100 %")
    }

    @Test(arguments: [
        (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.seconds(40), "40 s"), (.milliseconds(59_001), "1 min"),
        (.seconds(100), "1 min 40 s"), (.seconds(3600), "1 h"), (.seconds(3601), "1 h"), (.seconds(7500), "2 h 5 min"),
        (.seconds(97_200), "1 d 3 h"),
    ])
    func `a duration has two units at most`(_ duration: Duration, _ text: String) {
        #expect(duration.roughText == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (12_300, "12,300"), (1_000_000, "1,000,000"), (-1234, "-1,234"),
    ])
    func `a number has commas between its thousands`(_ number: Int, _ text: String) {
        #expect(number.grouped == text)
    }

    private var halfDone: RunProgress {
        var progress = RunProgress()
        progress.note(report([send()]), at: .zero)
        progress.note(report([send(accepted: 49_990, rejected: 10)]), at: .seconds(10))
        return progress
    }

    private func send(
        _ occurrence: String = "tide-rome@2026-12-01T08:00:00Z", accepted: Int = 0, rejected: Int = 0, unknown: Int = 0
    ) -> StepReport {
        var step = StepReport(Plan.Step(work: .send(DocumentSamples.send()), reason: ""))
        step.occurrence = occurrence
        step.planned = 100_000
        (step.accepted, step.rejected, step.unknown) = (accepted, rejected, unknown)
        return step
    }

    private func subscribe(planned: Int) -> StepReport {
        StepReport(Plan.Step(work: .subscribe("tides", RecipientSet(1...RecipientID(planned))), reason: ""))
    }

    private func report(_ steps: [StepReport]) -> Report {
        var report = Report(
            run: "r", plan: Plan(at: DocumentSamples.now, workspaceDigest: "", state: nil), planDigest: "",
            isDryRun: false, started: DocumentSamples.now, endpoint: .emulator, project: "p", version: "0")
        report.steps = steps
        return report
    }
}
