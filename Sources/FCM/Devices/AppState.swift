/// The state of an app when a message reaches its device.
package enum AppState: String, Hashable, Sendable, CaseIterable {
    case foreground, background
    /// A person ended the app; for a web app, no page is open. This does not mean an Android app that was force-stopped
    /// in the settings: such an app gets nothing until someone opens it.
    case terminated
}
