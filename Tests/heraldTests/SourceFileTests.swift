import Testing

/// Keeps files short enough to be read from top to bottom, and keeps decisions out of commands.
@Suite struct SourceFileTests {
    @Test func `no file is longer than 350 lines, and half of them are shorter than 100`() throws {
        let files = try SourceFile.all(in: "Sources", "Tests", "Benchmarks")
        #expect(files.count > 500)
        let long = files.filter { $0.lines > 350 }
        #expect(long.map { "\($0.path): \($0.lines)" } == [])
        let median = files.map(\.lines).sorted()[files.count / 2]
        #expect(median < 100)
    }

    @Test func `a file that declares a command has at most 70 lines`() throws {
        let commands = try SourceFile.all(in: "Sources/HeraldCommands").filter(\.declaresCommand)
        #expect(commands.count > 20)
        #expect(commands.filter { $0.lines > 70 }.map { "\($0.path): \($0.lines)" } == [])
    }

    /// Without it, the argument parser finds out a name in half a millisecond, for all commands at every start.
    @Test func `every command says its name`() throws {
        let commands = try SourceFile.all(in: "Sources/HeraldCommands").filter(\.declaresCommand)
        #expect(commands.filter { !$0.text.contains("commandName: \"") }.map(\.path) == [])
    }

    @Test func `herald does not know which kind of store the state is in`() throws {
        let files = try SourceFile.all(in: "Sources/HeraldCommands")
        // Lists come from databases, too. None of them is a state.
        let places = ["Sources/HeraldCommands/Fetching/", "Sources/HeraldCommands/Checking/SourceCheck.swift"]
        let others = files.filter { file in !places.contains { file.path.hasPrefix($0) } }
        #expect(others.filter { $0.text.contains("SQLite") }.map(\.path) == [])
    }

    @Test func `only one file turns errors into exit statuses, and only the program exits`() throws {
        let files = try SourceFile.all(in: "Sources/HeraldCommands")
        let exiting = files.filter { $0.text.contains("ExitCode(") }.map(\.path)
        #expect(exiting == ["Sources/HeraldCommands/HeraldProgram.swift"])
    }
}
