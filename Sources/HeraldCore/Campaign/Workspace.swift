/// Everything the files say, resolved into values. Whatever could not be read is missing here and a diagnostic there.
package struct Workspace: Sendable {
    package var settings: Settings
    /// By name.
    package var audiences: [Audience]
    package var topics: [Topic]
    package var groups: [Group] = []
    package var campaigns: [Campaign]
    /// Whether lists were not to be read, so that their audiences are empty only here.
    package var listsSkipped = false
}
