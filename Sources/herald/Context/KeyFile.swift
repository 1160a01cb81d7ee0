import FCMClient
import Foundation
import HeraldCore

/// Finds the credentials a run signs in with.
enum KeyFile {
    /// A key file is a few kilobytes.
    private static let maximumSize = 1 << 20

    /// The service account of `fcm.credentials`, of GOOGLE_APPLICATION_CREDENTIALS, or of gcloud's own file, in this
    /// order. `nil` when none of them is there.
    static func account(for session: Session) throws -> ServiceAccount? {
        guard let (path, origin) = find(session) else { return nil }
        if origin == "fcm.credentials", let repository = GitFolder.containing(path) {
            throw session.console.end(
                .wrong,
                "\(origin): \(path) lies inside the git repository \(repository); keep key files outside of git"
            )
        }
        guard let handle = FileHandle(forReadingAtPath: path),
            let bytes = try? handle.read(upToCount: maximumSize + 1)
        else { throw session.console.end(.wrong, "\(origin): the key file \(path) cannot be read") }
        guard bytes.count <= maximumSize else {
            throw session.console.end(.wrong, "\(origin): \(path) is too large for a key file")
        }
        do {
            return try ServiceAccount(keyFile: bytes)
        } catch {
            throw session.console.end(.wrong, "\(origin): \(path): \(error)")
        }
    }

    private static func find(_ session: Session) -> (path: String, origin: String)? {
        let environment = ProcessInfo.processInfo.environment
        if let credentials = session.workspace.settings.fcm.credentials {
            return (credentials.value.absolute(in: session.folder.path), "fcm.credentials")
        }
        if let path = environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty {
            return (path.absolute(in: nil), "GOOGLE_APPLICATION_CREDENTIALS")
        }
        // https://cloud.google.com/docs/authentication/application-default-credentials
        let home = environment["HOME"].map { "\($0)/.config/gcloud" }
        guard let folder = environment["CLOUDSDK_CONFIG"] ?? home else { return nil }
        let path = "\(folder)/application_default_credentials.json"
        return FileManager.default.fileExists(atPath: path) ? (path, "gcloud's default credentials") : nil
    }
}

/// Where git keeps watch over files.
enum GitFolder {
    /// The work tree a file lies in; `nil` outside every repository.
    static func containing(_ file: String) -> String? {
        let file = URL(filePath: file).resolvingSymlinksInPath().standardizedFileURL.path
        var folder = (file as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: "\(folder)/.git") {
            let above = (folder as NSString).deletingLastPathComponent
            if above == folder || above.isEmpty { return nil }
            folder = above
        }
        return folder
    }
}
