import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// Which addresses of databases are taken. Nothing connects here.
@Suite struct PostgresAddressTests {
    private static let environment = [
        "PASSWORD": "x@evil.example/other?sslmode=disable", "USER_NAME": "app", "EMPTY": "",
    ]

    private func server(_ address: String, isFromFile: Bool = true, isInsecure: Bool = false) throws -> PostgresServer {
        var settings = PostgresSettings(address: address)
        settings.isInsecure = isInsecure
        return try PostgresAddress(settings, isFromFile: isFromFile, environment: Self.environment).server
    }

    @Test func `a variable fills one part and adds none`() throws {
        let server = try server("postgresql://${USER_NAME}:${PASSWORD}@127.0.0.1:5433/herald")
        #expect(server.parameters["user"] == "app")
        #expect(server.parameters["password"] == Self.environment["PASSWORD"])
        #expect(server.parameters["host"] == "127.0.0.1")
        #expect(server.parameters["dbname"] == "herald")
        #expect(server.parameters["sslmode"] == nil)
        #expect(server.name == "postgresql://127.0.0.1:5433/herald (schema herald)")
    }

    @Test(arguments: [
        "postgresql://app@db.example/herald?sslmode=verify-full", "postgresql:///herald?host=/run/postgresql",
        "postgresql://app@localhost,127.0.0.1,[::1]/herald", "postgresql://app:${PASSWORD}@/herald",
        "postgresql://app@db.example/herald?hostaddr=127.0.0.1", "postgres://app@/herald?connect_timeout=3",
    ])
    func `takes`(_ address: String) throws { _ = try server(address) }

    @Test(arguments: [
        ("postgresql://app:secret-word@/herald", "the password"),
        ("postgresql://app:${PASSWORD:-secret-word}@/herald", "the password"),
        ("postgresql://app:${PASSWORD}secret-word@/herald", "the password"),
        ("postgresql:///herald?password=secret-word", "the password"),
        ("postgresql://${NOBODY}@/herald", "the environment has no NOBODY"),
        ("postgresql://$USER@/herald", "begins no ${VARIABLE}"),
        ("postgresql:///herald?options=-c%20fsync%3Doff", "'options'"),
        ("postgresql:///herald?replication=database", "'replication'"),
        ("postgresql:///herald?secret-word=1", "cannot be read"),
        ("postgresql://app:secret-word@[::1/herald", "cannot be read"),
        ("postgresql://app@db.example/herald", "the connection to db.example is not checked"),
        ("postgresql://app@db.example/herald?sslmode=require", "sslmode is require"),
        ("postgresql://app@localhost,db.example/herald?sslmode=verify-ca", "the connection to db.example"),
        ("postgresql://app@localhost/herald?hostaddr=192.0.2.1", "the connection to 192.0.2.1"),
        ("postgresql://app@127.0.0.1.example/herald", "the connection to 127.0.0.1.example"),
    ])
    func `refuses, and shows no password`(_ address: String, _ reason: String) throws {
        let error = #expect(throws: PostgresAddressError.self) { try server(address) }
        let text = try #require(error?.description)
        #expect(text.contains(reason))
        #expect(error?.help.isEmpty == false)
        #expect(!text.contains("secret-word"))
        #expect(error?.help.contains("secret-word") == false)
    }

    @Test func `an address from the environment may hold its password, and needs no certificate if told so`() throws {
        let server = try server(
            "postgresql://app:pa$$word@db.example/herald", isFromFile: false, isInsecure: true)
        #expect(server.parameters["password"] == "pa$$word")
        #expect(!server.name.contains("word"))
    }
}
