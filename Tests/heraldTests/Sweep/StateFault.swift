import Foundation
import HeraldTestSupport

/// What happens at one call that herald makes on the files of its state. See `CStateFaults.h`.
enum StateFault: Hashable, CustomStringConvertible {
    /// SIGKILL before the call, after half of its bytes are written, or after it.
    case killBefore, killWithin, killAfter
    /// No space left, once or from then on. `fullTorn` has room for half of the first write.
    case full, fullOnce, fullTorn
    /// An input/output error.
    case broken, brokenOnce
    case signal(Int32)
    /// Another process, such as the emulator, is killed.
    case kill(pid_t)
    /// The time of day jumps.
    case clock(seconds: Int)

    /// The environment that makes the fault happen in herald at call `number`, from 1.
    ///
    /// - Parameter trace: A file that gets a line for every call; see `RecordCall`.
    static func environment(
        _ fault: StateFault? = nil, at number: Int = 0, state path: String, trace: String? = nil
    ) -> [String: String] {
        var environment = ["LD_PRELOAD": library, "RECORD_FAULTS_PATH": path]
        environment["RECORD_FAULTS_TRACE"] = trace
        environment["RECORD_FAULTS"] = fault?.text(number)
        return environment
    }

    /// It is beside the program.
    private static let library = URL(filePath: HeraldProcess.program).deletingLastPathComponent()
        .appending(path: "libCStateFaults.so").path

    /// Only the loader of Linux can put a library before the system's this way.
    static let isAvailable = FileManager.default.fileExists(atPath: library)

    private func text(_ number: Int) -> String {
        switch self {
        case .killBefore: "kill-before \(number)"
        case .killWithin: "kill-within \(number)"
        case .killAfter: "kill-after \(number)"
        case .full: "full \(number)"
        case .fullOnce: "full-once \(number)"
        case .fullTorn: "full-torn \(number)"
        case .broken: "broken \(number)"
        case .brokenOnce: "broken-once \(number)"
        case .signal(let signal): "signal \(number) \(signal)"
        case .kill(let pid): "signal \(number) \(SIGKILL) \(pid)"
        case .clock(let seconds): "clock \(number) \(seconds)"
        }
    }

    var description: String {
        if case .kill = self { return "the emulator killed" }
        return text(0).replacing(" 0", with: "", maxReplacements: 1)
    }

    /// Whether it ends herald at once.
    var isKill: Bool { [.killBefore, .killWithin, .killAfter].contains(self) }

    /// Whether it refuses what herald writes.
    var isRefusal: Bool { [.full, .fullOnce, .fullTorn, .broken, .brokenOnce].contains(self) }
}

/// A call that herald made on a file of its state.
struct RecordCall {
    var name: String

    /// All calls in a trace.
    static func all(in trace: String) -> [RecordCall] {
        trace.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 3 ? RecordCall(name: String(words[1])) : nil
        }
    }

    /// Whether the call is a commit point: what was written before it then survives a crash of the machine, or has its
    /// name.
    var isBoundary: Bool { ["fsync", "fdatasync", "link"].contains(name) }
}
