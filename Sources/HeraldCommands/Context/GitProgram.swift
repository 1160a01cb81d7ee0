import Foundation
import HeraldCore

/// Runs git to read objects. What a repository says in its own configuration runs nothing: no hook, no pager, no
/// monitor of files. Nothing is fetched.
enum GitProgram {
    struct Answer {
        var status: Int32
        var output: [UInt8]

        /// The first line, if git succeeded.
        var line: String? {
            status == 0 ? String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) : nil
        }
    }

    /// How long git may take.
    private static let patience = Duration.seconds(60)

    private static let options = [
        "--no-pager", "--no-replace-objects", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
        "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never",
    ]

    /// `nil` if git is not there, does not end, or says more than `limit` bytes.
    ///
    /// - Parameter arguments: fixed words and the ids of objects. Text from outside stands only after
    ///   `--end-of-options`.
    static func run(_ arguments: [String], in folder: String, input: [UInt8] = [], limit: Int = 1 << 20) -> Answer? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/git" }
        guard
            let program = path.first(where: { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }),
            // Files without a name: unlike pipes, they never make one side wait for the other.
            let (given, said) = scratchFile().flatMap({ given in scratchFile().map { (given, $0) } }),
            (try? given.write(contentsOf: Data(input))) != nil, (try? given.seek(toOffset: 0)) != nil
        else { return nil }
        let (process, ended) = (Process(), DispatchSemaphore(value: 0))
        process.executableURL = URL(filePath: program)
        process.arguments = ["-C", folder] + options + arguments
        process.environment = environment
        (process.standardInput, process.standardOutput) = (given, said)
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return nil }
        guard ended.wait(timeout: .now() + patience.seconds) == .success else {
            process.terminate()
            return nil
        }
        guard (try? said.seek(toOffset: 0)) != nil, let output = try? said.read(upToCount: limit + 1) ?? Data(),
            output.count <= limit
        else { return nil }
        return Answer(status: process.terminationStatus, output: Array(output))
    }

    private static func scratchFile() -> FileHandle? {
        guard let file = tmpfile() else { return nil }
        defer { fclose(file) }
        let descriptor = dup(fileno(file))
        return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "XDG_CONFIG_HOME"].contains($0.key) }
        return own.merging([
            "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
        ]) { $1 }
    }
}
