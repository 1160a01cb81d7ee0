// swift-tools-version:6.2

import PackageDescription

/// CI builds with `HERALD_STRICT=1`: there a warning is an error, on a user's newer compiler it is not.
let strict: [SwiftSetting] =
    Context.environment["HERALD_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []

let settings: [SwiftSetting] =
    strict + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

/// Several products of one package.
func products(of package: String, _ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package) }
}

let crypto = products(of: "swift-crypto", "Crypto")
/// RSA and HMAC, beside what `crypto` has.
let cryptoExtras = products(of: "swift-crypto", "CryptoExtras")
let logging = products(of: "swift-log", "Logging")
let sqlite = products(of: "GRDB.swift", "GRDB")
/// Sockets and TLS.
let sockets = products(of: "swift-nio", "NIOCore", "NIOPosix") + products(of: "swift-nio-ssl", "NIOSSL")
/// HTTP/1.1 and HTTP/2 on them.
let http = products(of: "swift-nio", "NIOHTTP1") + products(of: "swift-nio-http2", "NIOHPACK", "NIOHTTP2")

let package = Package(
    name: "herald",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "herald", targets: ["herald"]),
        // Tests preload it into a herald, from beside its program.
        .library(name: "CStateFaults", type: .dynamic, targets: ["CStateFaults"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "CLibPQ", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .target(name: "FCM"),
        .target(
            name: "FCMClient",
            dependencies: ["FCM"] + logging + sockets + http + products(of: "swift-nio", "NIOTLS")
                + products(of: "jwt-kit", "JWTKit")
        ),
        .target(
            name: "FCMEmulator",
            dependencies: ["FCM"] + crypto + cryptoExtras + logging
                + products(of: "swift-http-types", "HTTPTypes")
                + products(of: "hummingbird", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2")
                + products(of: "swift-nio", "NIOCore")
                + products(of: "swift-nio-http2", "NIOHTTP2")
                + products(of: "swift-nio-ssl", "NIOSSL")
                + products(of: "swift-asn1", "SwiftASN1")
                + products(of: "swift-certificates", "X509"),
            resources: [.embedInCode("Page/Files")]
        ),
        .target(
            name: "HeraldCore",
            dependencies: ["CLibYAML", "CZlib", "FCM"] + crypto + products(of: "swift-mustache", "Mustache"),
            resources: [.embedInCode("Reporting/Pages/Templates")]
        ),
        .target(name: "HeraldStore", dependencies: ["CLibPQ", "FCM", "HeraldCore"] + crypto + sqlite),
        .executableTarget(name: "herald", dependencies: ["HeraldCommands"]),
        .target(
            name: "HeraldCommands",
            dependencies: ["FCM", "FCMClient", "FCMEmulator", "HeraldCore", "HeraldStore"]
                + products(of: "swift-argument-parser", "ArgumentParser") + logging
                + products(of: "swift-http-types", "HTTPTypes") + products(of: "hummingbird", "Hummingbird")
                + products(of: "swift-nio", "NIOCore")
        ),
        .target(name: "HeraldTestSupport", dependencies: ["FCM", "HeraldCore"]),
        .target(name: "CStateFaults", path: "Tests/CStateFaults"),
        .target(name: "CPowerCut", path: "Tests/CPowerCut", linkerSettings: [.linkedLibrary("sqlite3")]),
        // A program, so that many lives need only this much built with optimisation.
        .executableTarget(
            name: "Lives",
            dependencies: ["FCM", "FCMClient", "HeraldCommands", "HeraldCore", "HeraldStore", "HeraldTestSupport"]
                + products(of: "swift-argument-parser", "ArgumentParser"),
            path: "Tests/Lives"),
        .testTarget(name: "ArchitectureTests"),
        .testTarget(name: "FCMTests", dependencies: ["FCM", "HeraldTestSupport"]),
        .testTarget(
            name: "FCMClientTests",
            dependencies: ["FCM", "FCMClient", "HeraldTestSupport"] + cryptoExtras + logging + sockets + http
        ),
        .testTarget(
            name: "FCMEmulatorTests",
            dependencies: ["FCM", "FCMEmulator", "HeraldTestSupport"] + cryptoExtras + sockets
                + products(of: "swift-nio", "NIOTLS") + products(of: "swift-nio-http2", "NIOHTTP2")
        ),
        .testTarget(
            name: "HeraldCoreTests",
            dependencies: ["CZlib", "FCM", "HeraldCore", "HeraldTestSupport", "Lives"] + crypto,
            exclude: ["Planning/Golden", "Reporting/Golden"]
        ),
        .testTarget(
            name: "HeraldStoreTests",
            dependencies: ["CLibPQ", "CPowerCut", "FCM", "HeraldCore", "HeraldStore", "HeraldTestSupport"] + sqlite
        ),
        .testTarget(
            name: "heraldTests",
            dependencies: [
                "FCM", "FCMClient", "FCMEmulator", "HeraldCommands", "HeraldCore", "HeraldStore", "HeraldTestSupport",
                "Lives", "herald",
            ] + cryptoExtras + logging,
            exclude: ["Golden"]
        ),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = settings
}
