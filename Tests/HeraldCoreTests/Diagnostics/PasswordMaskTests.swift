import Testing

@testable import HeraldCore

/// What is shown of an address that somebody typed where none belongs.
@Suite struct PasswordMaskTests {
    @Test(arguments: [
        ("unexpected argument 'postgresql://app:secret@h/db'", "unexpected argument 'postgresql://…@h/db'"),
        ("Postgres:/app:se cret/@x@h", "Postgres://…@h"), ("postgresql+asyncpg://a:b@c", "postgresql+asyncpg://…@c"),
        ("host=h password=secret word", "host=h password=…"),
        ("sslpassword = secret", "sslpassword =…"),
        (
            "the state postgresql://h:5432/db (schema herald) has tide@once",
            "the state postgresql://h:5432/db (schema herald) has tide@once"
        ),
        ("send:tide@once of a.jpg: x@y", "send:tide@once of a.jpg: x@y"),
    ])
    func `user and password are left out, and nothing of what herald says`(_ text: String, _ shown: String) {
        #expect(text.maskingPasswords == shown)
    }

    @Test(arguments: [
        "state: {postgres: 'postgresql://app:secret@h/db', shcema: x}", "state: 'postgresql://app:secret/db'",
        "state: app:secret@h/db", "password: secret", "state: 'host=h password=secret'",
        "state: 'HOST=h PASSWORD = secret'", "state: PSQL:/h/db", "état: password: secret",
    ])
    func `a line of a file that may hold a password is not shown`(_ line: String) {
        #expect(line.mayHoldPassword)
    }

    @Test(arguments: ["state: {file: a, shcema: x}", "  image: https://example.com/a.jpg", "name: tide"])
    func `other lines are`(_ line: String) { #expect(!line.mayHoldPassword) }
}
