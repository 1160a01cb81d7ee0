import ArgumentParser
import FCMClient
import FCMEmulator
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Every error that a command ends with says what happened, and on a line of its own what to do.
@Suite struct ErrorWordsTests {
    /// One kind of error, and all its cases.
    private struct Kind {
        let name: String
        let texts: [String]
        /// How many cases these are: one may say different things.
        let cases: Int

        init<Problem: Error>(_ problems: [Problem], _ failure: (Problem) -> CommandFailure?) {
            name = "\(Problem.self)"
            texts = problems.map { failure($0)?.text ?? "nothing is said\n" }
            cases = Set(problems.map { Mirror(reflecting: $0).children.first?.label ?? "\($0)" }).count
        }

        init<Problem: Error>(_ problems: [Problem]) { self.init(problems) { CommandFailure($0) } }
    }

    private static let time = Date(timeIntervalSince1970: 1_800_000_000)

    private static let kinds: [Kind] = [
        Kind(
            [
                .missing(path: "S"), .uninitialized(path: "S"), .exists(path: "S"),
                .damaged(path: "S", detail: "D"), .bound(path: "S", to: "A", wanted: "B"),
                .locked(path: "S", holder: "run R"), .newer(path: "S"), .older(path: "S"), .unmigrated(path: "S"),
                .moved(path: "S", to: "T"), .incomplete(path: "S"), .failedOver(path: "S"),
                .elsewhere(path: "S"), .impossibleCrew(path: "S", detail: "D"),
                .notLocked(path: "S", by: "R"),
                .inaccessible(path: "S", detail: "D"), .leaseLost(holder: "R"), .leaseLost(holder: ""),
                .numberedOtherwise,
                .occurrenceTaken(OccurrenceID(rawValue: "tide@once")),
            ] as [StateError]),
        Kind([.noRoom(folder: "F", detail: "D"), .recordedTwice, .tooMany] as [RecipientIndexError]),
        Kind(
            [
                .timeout(.zero), .maxInFlight(0), .unreadableAuthorities(path: "P"), .authoritiesWithoutTLS,
            ] as [FCMClientError]),
        Kind([.notAProxy, .secureProxy] as [ProxyError]),
        Kind(
            [
                .refused(code: "invalid_grant", detail: nil, clockLead: nil),
                .mayNotAct(.init(.noRole("R"), account: "A", code: "C", detail: "D")),
                .unexpected(status: 404, from: .token), .unusableKey, .unreadable(file: "F"), .noSubjectToken,
                .noMetadataServer(at: "M"), .unusableCredential, .unavailable(reason: "R", isWorthRepeating: false),
            ] as [TokenError]),
        Kind(
            [
                .cannotListen(host: "H", port: 1, reason: "R"), .cannotOpenLedger(path: "P", reason: "R"),
                .cannotReadFaults(path: "P", reason: "R"), .cannotReadKey(account: "A"),
                .cannotUseData(path: "P", reason: "R"), .cannotWriteCertificate(path: "P", reason: "R"),
                .cannotWriteLedger(reason: "R"),
            ] as [EmulatorError]),
        Kind(
            [
                .unreadable, .altered, .ofSnapshot, .expired(at: time), .early(until: time), .used, .stale,
            ] as [SavedPlan.Problem]
        ) { CommandFailure($0, in: "P") },
        Kind(
            [
                .noScheme, .scheme("ftp"), .userInfo, .host("H"), .port("P"), .path("/p"), .query, .fragment,
                .plainTextBeyondLoopback(host: "H"),
            ] as [EndpointError]
        ) { CommandFailure(.wrong, "fcm.endpoint: \($0)", help: $0.help) },
        Kind(
            [
                .notJSON, .missing("N"), .notText("N"), .notAProject("N"), .notANumber("N"),
                .notTexts("N"), .notAnObject("N"), .notHeaders("N"), .unknownType, .unsupported(kind: "K"),
                .nestedImpersonation, .unsupportedSource(kind: "K"), .noSource, .unknownFormat, .lifetime("N"),
                .otherUniverse, .privateKey, .url("N"), .sourceURL("N"), .host("N"), .metadataHost(variable: "V"),
            ] as [CredentialFileError]
        ) { CommandFailure(.wrong, "fcm.credentials: P: \($0)", help: $0.help) },
        Kind([.notSnapshot, .newer, .damaged("D"), .bound(to: "A", wanted: "B")] as [SnapshotProblem]) {
            CommandFailure(.wrong, "the snapshot P cannot be used: \($0)", help: $0.help)
        },
        Kind(
            [.noReport, .otherVersion("herald.report/9"), .malformed("steps[2].planned")]
                as [ReportDocument.ReadingError]
        ) {
            CommandFailure(.wrong, "P \($0.words)", help: $0.help)
        },
        Kind(
            [
                .notJSON(line: 2), .tooDeep, .duplicateName("N"), .noObject, .list(2), .unknownForm,
                .noStanza, .tooLarge, .severalTargets(["to", "topic"]), .noText(path: "tokens[1]"),
                .noRegistration(path: "tokens[1]"),
            ] as [ConversionProblem]
        ) { CommandFailure(.wrong, "P cannot be converted: \($0.words)", help: $0.help) },
        Kind(
            [
                .noOccurrence, .nobodyUncertain, .alreadyFinished, .noCampaign(name: "C", revision: 2),
                .nobodyRejected(code: "X", known: ["Y"]), .nobodyReachable(3), .changed, .reachedOtherwise,
                .noMorePersonal,
                .sentBefore(OccurrenceID(rawValue: "news@once")), .timeTaken(OccurrenceID(rawValue: "tide@b")),
                .disabled, .halted, .paused("C"),
                .tooLate(.late(since: time)),
            ] as [ResolutionProblem]
        ) { $0.failure(for: "tide@once", in: RecordedState(identity: Self.identity)) },
        Kind([.unknown, .notAhead(time), .notAhead(nil)] as [RewindProblem]) {
            $0.failure(for: "C", in: RecordedState(identity: Self.identity))
        },
    ]

    private static let identity = RecordedState.Identity(
        lineage: "l", project: "p", endpoint: .emulator, created: time)

    @Test func `each says what happened, and then what to do`() throws {
        let texts = Self.kinds.flatMap(\.texts)
        for text in texts {
            let lines = text.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("herald: ") && lines[1].hasPrefix("  help: "), "\(text)")
            #expect(lines.allSatisfy { $0.split(separator: " ").count <= 35 && !$0.hasSuffix(".") }, "\(text)")
        }
        let all = Self.kinds.map { "\($0.name)\n\n\($0.texts.joined())" }.joined(separator: "\n")
        #expect(try Golden("errors.txt").text(recording: all) == all)
    }

    /// Command lines that are wrong.
    private static let lines = [
        "xylophone", "state shwo", "-x plan", "apply --foobarbaz", "plan --formt json", "plan --format jsn",
        "plan --at x",
        "plan --days=-1", "plan --lists skip --out p", "plan --snapshot s --out p", "plan --max-snapshot-age 1h",
        "review --days 4000", "calendar --days 0", "preview c --all",
        "preview --all --serve --format json", "run --every 1ms", "test", "test c",
        "test c --to a --audience b", "convert x --name y --target z", "--log-level loud plan", "explain topic-nam",
        "explain xylophone", "work", "work --project p --max-in-flight 0", "work --project p --token-host https://h",
        "apply --sample 3", "apply --override x", "apply p --approved q", "apply p --at 2026-12-01T09:00:00Z",
        "apply p --campaign c",
        "groups export g --all", "emulator --port 70000", "emulator --allow-host a:1", "state resolve",
        "state resolve o --accept --resend", "state resolve --accept", "state revive", "state grants",
        "state copy --to x --schema y", "state copy --to postgresql:///x --schema A",
    ]

    @Test func `wrong arguments are told in the same form`() throws {
        var all = ""
        for line in Self.lines {
            let arguments = line.split(separator: " ").map(String.init)
            let error = #expect(throws: (any Error).self, "\(line)") { try Herald.parseAsRoot(arguments) }
            let advice = CommandAdvice(Herald.fullMessage(for: try #require(error)), arguments)
            let text = try #require(advice?.description, "\(line)")
            let told = text.split(separator: "\n").prefix(2)
            #expect(told[0].hasPrefix("herald: ") && told[1].hasPrefix("  help: "), "\(text)")
            all += "$ herald \(line)\n\(told.joined(separator: "\n"))\n"
        }
        #expect(try Golden("arguments.txt").text(recording: all) == all)
    }

    /// The lists of cases are written by hand.
    @Test(arguments: [(302, true), (404, true), (408, false), (429, false), (500, false)])
    func `a server that is busy is not said to refuse an address`(_ status: Int, _ isRefused: Bool) {
        #expect(TellingProblem.post(.status(status)).help.contains("this address") == isRefused)
    }

    @Test func `no case is forgotten`() throws {
        let sources = try SourceFile.all(in: "Sources").map(\.text)
        for kind in Self.kinds {
            let head = try Regex(#"(?m)^( *)package enum \#(kind.name): "#)
            let declared = sources.compactMap { text -> Int? in
                guard let start = text.firstMatch(of: head), let indent = start.output[1].substring,
                    let end = text[start.range.upperBound...].firstRange(of: "\n\(indent)}\n")
                else { return nil }
                return text[start.range.upperBound..<end.lowerBound].split(separator: "\n")
                    .count { $0.hasPrefix("\(indent)    case ") }
            }
            // Several enums are named `Problem`.
            #expect(declared.contains(kind.cases), "\(kind.name): \(declared) cases, \(kind.cases) here")
        }
    }

    /// `CommandFailure` cannot be made without help; the parser's own type can.
    @Test func `wrong arguments say what to do, too`() throws {
        for file in try SourceFile.all(in: "Sources/HeraldCommands") where file.path != Self.exempt {
            for call in file.text.ranges(of: "ValidationError(") {
                let rest = file.text[call.upperBound...]
                let end = rest.firstRange(of: "\n    }")?.lowerBound ?? rest.endIndex
                #expect(rest[..<end].contains("help: "), "\(file.path): \(rest.prefix(80))")
            }
        }
    }

    private static let exempt = "Sources/HeraldCommands/Terminal/ValidationError+Help.swift"
}
