import Foundation
import HeraldStore

/// Runs a program and writes what it prints to a file. It has its own process group, which has ended when this returns.
struct SourceProgram {
    enum Problem: Error, Hashable {
        case start, status(Int32), signal(Int32)
    }

    /// Absolute.
    let program: String
    let arguments: [String]
    let environment: [String: String]
    /// The folder that it works in.
    let folder: String

    func run(into list: ListWriter, within timeout: Duration, _ limit: QueryLimit) throws(FetchProblem) {
        let (pid, output) = try start()
        defer { close(output) }
        do throws(QueryError) {
            try copy(from: output, to: list, limit)
            // It may close its output long before it ends.
            while !Self.hasEnded(pid) {
                if let reached = limit.reached { throw reached }
                usleep(10_000)
            }
        } catch {
            _ = Self.end(pid)
            throw FetchProblem(error, within: timeout)
        }
        let status = Self.end(pid)
        if status & 0x7f != 0 { throw .program(.signal(status & 0x7f)) }
        if status != 0 { throw .program(.status((status >> 8) & 0xff)) }
    }

    private func copy(from output: Int32, to list: ListWriter, _ limit: QueryLimit) throws(QueryError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            if let reached = limit.reached { throw reached }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 100) > 0 else { continue }
            let count = read(output, buffer.baseAddress, buffer.count)
            if count == 0 { return try list.flush() }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unwritable
            }
            try list.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Whether the program has ended. It is not reaped, so that its number stays its own.
    private static func hasEnded(_ pid: pid_t) -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD
    }

    /// Ends the whole group, and returns how the program ended.
    private static func end(_ pid: pid_t) -> Int32 {
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    #if os(Linux)
        private typealias Actions = posix_spawn_file_actions_t
    #else
        private typealias Actions = posix_spawn_file_actions_t?
    #endif

    /// Lets the program begin in a folder. `false` if the system cannot.
    private static func addFolder(_ folder: String, to actions: inout Actions) -> Bool {
        // glibc and musl have this call, but their headers hide it from Swift.
        typealias Call = @convention(c) (UnsafeMutablePointer<Actions>, UnsafePointer<CChar>) -> Int32
        let system = dlopen(nil, RTLD_NOW)
        defer { if let system { dlclose(system) } }
        guard let symbol = dlsym(system, "posix_spawn_file_actions_addchdir_np") else { return false }
        return unsafeBitCast(symbol, to: Call.self)(&actions, folder) == 0
    }

    private func start() throws(FetchProblem) -> (pid: pid_t, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .program(.start) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if os(Linux)
            var (actions, attributes) = (Actions(), posix_spawnattr_t())
        #else
            var (actions, attributes): (Actions, posix_spawnattr_t?)
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        guard Self.addFolder(folder, to: &actions) else {
            close(ends[0])
            throw .program(.start)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // What it complains about may name a password or a person.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, program, &actions, &attributes, argv, envp) == 0 else {
            close(ends[0])
            throw .program(.start)
        }
        return (pid, ends[0])
    }
}
