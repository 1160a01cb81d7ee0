import Testing

/// What each target may import. The compiler holds imports against Package.swift; this holds both against the picture in
/// ARCHITECTURE.md, so that a dependency more is a decision and no accident.
@Suite struct ImportTests {
    /// Parts of Swift and of the systems, which every target may use.
    private static let system: Set<String> = [
        "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Synchronization",
    ]

    private static let allowed: [String: Set<String>] = [
        "CLibPQ": [],
        "CLibYAML": [],
        "CZlib": [],
        "FCM": [],
        "FCMClient": [
            "FCM", "JWTKit", "Logging", "NIOCore", "NIOHPACK", "NIOHTTP1", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
        ],
        "FCMEmulator": [
            "Crypto", "CryptoExtras", "FCM", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2",
            "Logging", "NIOCore", "NIOHTTP2", "NIOSSL", "SwiftASN1", "X509",
        ],
        "HeraldCore": ["CLibYAML", "CZlib", "Crypto", "FCM", "Mustache"],
        "HeraldStore": ["CLibPQ", "Crypto", "FCM", "GRDB", "HeraldCore"],
        "HeraldTestSupport": ["FCM", "HeraldCore"],
        "herald": ["HeraldCommands"],
        "HeraldCommands": [
            "ArgumentParser", "FCM", "FCMClient", "FCMEmulator", "HTTPTypes", "HeraldCore", "HeraldStore",
            "Hummingbird", "Logging", "NIOCore",
        ],
    ]

    @Test func `every target imports only what it may`() throws {
        #expect(Self.allowed.keys.sorted() == (try SourceFolder.inside("Sources").sorted()))
        for (target, allowed) in Self.allowed {
            for file in try SourceFolder("Sources/\(target)", module: target).files {
                let found = file.imported.subtracting(Self.system).subtracting(allowed)
                #expect(found.isEmpty, "\(file.name) imports \(found.sorted())")
            }
        }
    }

    @Test func `in HeraldCore only Loading sees the C libraries`() throws {
        for file in try SourceFolder("Sources/HeraldCore", module: "HeraldCore").files
        where !file.imported.isDisjoint(with: ["CLibYAML", "CZlib"]) {
            #expect(file.name.hasPrefix("Sources/HeraldCore/Loading/"))
        }
    }

    @Test func `in HeraldCore only Reporting makes pages`() throws {
        for file in try SourceFolder("Sources/HeraldCore", module: "HeraldCore").files
        where file.imported.contains("Mustache") {
            #expect(file.name.hasPrefix("Sources/HeraldCore/Reporting/Pages/"))
        }
    }

    @Test(arguments: [
        ("import FCM", ["FCM"]), ("package import FCM\n@testable import HeraldCore", ["FCM", "HeraldCore"]),
        ("#if canImport(Darwin)\n  import Darwin\n#endif", ["Darwin"]), ("// import FCM", []),
    ])
    func `imports`(_ text: String, _ modules: [String]) {
        #expect(SourceFile(name: "", text: text).imported.sorted() == modules)
    }
}
