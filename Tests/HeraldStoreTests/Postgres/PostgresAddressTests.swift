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
        "postgresql://app@/herald?sslpassword=${PASSWORD}", "postgresql:///herald?host=%40herald",
        "postgresql://app%40example:${PASSWORD}@/herald?ssl=true",
    ])
    func `takes`(_ address: String) throws { _ = try server(address) }

    @Test(arguments: [
        ("postgresql://app:secret-word@/herald", "the password"),
        ("postgresql://app:${PASSWORD:-secret-word}@/herald", "the password"),
        ("postgresql://app:${PASSWORD}secret-word@/herald", "the password"),
        ("postgresql:///herald?password=secret-word", "the password"),
        ("postgresql://app:secret-word@/herald?password=${PASSWORD}", "'password' twice"),
        ("postgresql:///herald?password=secret-word&password=${PASSWORD}", "'password' twice"),
        ("postgresql:///herald?sslpassword=secret-word", "the password of the key"),
        ("postgresql:///herald?sslpassword=${PASSWORD:-secret-word}", "the password of the key"),
        ("postgresql://app:x/secret-word@db.example/herald?sslmode=verify-full", "percent-encoded"),
        ("postgresql://app:x@secret-word@db.example/herald?sslmode=verify-full", "percent-encoded"),
        ("postgresql://app:x?secret-word@db.example/herald?sslmode=verify-full", "percent-encoded"),
        ("postgresql://app:x#secret-word@db.example/herald?sslmode=verify-full", "percent-encoded"),
        ("postgresql://app:x/host=secret-word@db.example/herald", "percent-encoded"),
        ("postgresql://app:x%secret-word@db.example/herald?sslmode=verify-full", "cannot be read"),
        ("postgresql://app:secret-word/herald?sslmode=verify-full", "cannot be read"),
        ("postgresql://app:secret-word?sslmode=verify-full", "cannot be read"),
        ("postgresql://app@${PASSWORD}/herald?sslmode=verify-full", "cannot be read"),
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

    @Test(arguments: [
        ("sslmod=verify-full", "'sslmod'", "did you mean 'sslmode'?"),
        ("sslMode=verify-full", "cannot be read", "write"),
        ("scram_client_key=secret", "'scram_client_key'", "leave out 'scram_client_key'"),
    ])
    func `a parameter that herald does not know is named`(_ text: String, _ name: String, _ help: String) throws {
        let address = "postgresql://app@db.example/herald?\(text)"
        let error = #expect(throws: PostgresAddressError.self) { try server(address, isInsecure: true) }
        #expect(error?.description.contains(name) == true)
        #expect(error?.help.hasPrefix(help) == true)
    }

    @Test func `an address from the environment may hold its password, and needs no certificate if told so`() throws {
        let server = try server(
            "postgresql://app:pa$$word@db.example/herald", isFromFile: false, isInsecure: true)
        #expect(server.parameters["password"] == "pa$$word")
        #expect(!server.name.contains("word"))
    }
}
