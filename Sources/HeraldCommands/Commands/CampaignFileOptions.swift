import ArgumentParser
import HeraldCore

/// What a person may choose about a campaign file that is about to be made.
struct CampaignFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whom it is for: topic:NAME, audience:NAME, group:NAME or condition:EXPRESSION.", valueName: "target"),
        transform: WrittenTarget.init(argument:))
    var target: WrittenTarget?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("What kind of message it is. May be given again.", valueName: "tag"))
    var tags: [String] = []

    @Option(help: ArgumentHelp("Another file to write.", valueName: "file"), completion: .file())
    var out: String?
}
