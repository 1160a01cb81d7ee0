import Foundation

extension NewCampaign {
    static func path(of name: String, in workspace: String) -> String {
        var isFolder: ObjCBool = false
        let folder = "\(workspace)/campaigns"
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
        return "\(exists && isFolder.boolValue ? folder : workspace)/\(name).yaml"
    }

    /// The relative path from a workspace file to the schema that the workspace keeps for editors.
    static func schema(for path: String, in workspace: String) -> String? {
        let schema = "schemas/campaign.schema.json"
        let file = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        guard FileManager.default.fileExists(atPath: "\(workspace)/\(schema)"), file.hasPrefix("\(workspace)/")
        else { return nil }
        let depth = file.dropFirst(workspace.count + 1).count { $0 == "/" }
        return String(repeating: "../", count: depth) + schema
    }
}
