import NIOCore
import NIOHTTP2
import NIOPosix
import Testing

@testable import FCMEmulator

@Suite struct DeparturesTests {
    /// The client makes those requests again elsewhere; looked at here too, they would be met twice.
    @Test func `what a GOAWAY left out is not looked at, not even once the connection is closed`() async throws {
        let connection = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let first = Connection.Stream(id: 1, channel: connection, connection: connection)
        let late = Connection.Stream(id: 3, channel: connection, connection: connection)
        let departures = Departures()
        #expect(departures.admits(first))
        #expect(departures.leave(first) == first.id)
        #expect(!departures.admits(late))
        try await connection.close().get()
        #expect(!departures.admits(late))
    }
}
