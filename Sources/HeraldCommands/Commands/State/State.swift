import ArgumentParser

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Make, read and repair the state of what herald did.",
        subcommands: [
            StateInit.self, StateShow.self, StateFind.self, StateForget.self, StateRevive.self, StateExport.self,
            StateRemove.self, StateResolve.self, StateRewind.self, StateBackup.self, StatePrune.self,
            StateErase.self, StateSnapshotCommand.self, StateLockCommand.self, StateUnlock.self,
            StateGrants.self, StateMigrate.self, StateCopyCommand.self,
        ])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
}
