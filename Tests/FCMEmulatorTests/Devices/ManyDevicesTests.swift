import FCM
import Testing

@testable import FCMEmulator

/// A hundred thousand devices that follow one topic.
@Suite struct ManyDevicesTests {
    private static let count = 100_000
    private var world = World()
    private let topic: TopicName
    private let devices: [Registration]

    init() throws {
        topic = try #require(TopicName(rawValue: "all"))
        devices = try (0..<Self.count + 1).map { try #require(Registration(fid($0))) }
        for device in devices.prefix(Self.count) { world.join(device, topic, at: .distantPast) }
    }

    private mutating func send(_ target: String, _ number: Int) throws {
        let body = #"{"message":{\#(target),"data":{"n":"\#(number)"}}}"#
        let request = try SendRequest(parsing: Array(body.utf8))
        switch request.target {
        case .topic(let topic): _ = world.deliver(request, toTopic: topic, at: .distantPast)
        case .condition(let condition, _): _ = world.deliver(request, to: condition, at: .distantPast)
        case .token, .fid: _ = world.deliver(request, toGroup: Self.group, at: .distantPast)
        }
    }

    private static let group = DeviceGroups.ID(project: "1", name: "g")

    /// The numbers of the messages that a device received.
    private func received(_ device: Int) -> [Int] {
        world.simulatedDevice(of: devices[device]).arrivals.compactMap { arrival in
            guard case .message(let delivery) = arrival.content else { return nil }
            return delivery.message["data"]?["n"]?.string.flatMap { Int($0) }
        }
    }

    @Test mutating func `every inbox holds what its device was to get, and nothing else`() throws {
        let other = try #require(TopicName(rawValue: "some"))
        for device in stride(from: 0, to: Self.count, by: 1000) { world.join(devices[device], other, at: .distantPast) }
        world.groups.create(Self.group, members: [devices[0], devices[77]])
        try world.apply(DeviceChange(parsing: Array(#"{"online":false}"#.utf8)), to: devices[9], at: .distantPast)

        try send(#""topic":"all""#, 1)
        world.leave(devices[5], topic, at: .distantPast)
        world.join(devices[Self.count], topic, at: .distantPast)
        try send(#""topic":"all""#, 2)
        try send(#""condition":"'all' in topics && !('some' in topics)""#, 3)
        try send(#""condition":"'some' in topics""#, 4)
        try send(#""token":"of the group""#, 5)
        try world.apply(DeviceChange(parsing: Array(#"{"online":true}"#.utf8)), to: devices[9], at: .distantPast)

        var expected = Array(repeating: [1, 2, 3], count: Self.count + 1)
        for device in stride(from: 0, to: Self.count, by: 1000) { expected[device] = [1, 2, 4] }
        expected[5] = [1]
        expected[Self.count] = [2, 3]
        expected[0] += [5]
        expected[77] += [5]
        let wrong = devices.indices.filter { received($0) != expected[$0] }
        #expect(wrong == [])
    }

    @Test mutating func `an inbox is cut where it is full, whatever the way its messages came`() throws {
        for number in 1...250 { try send(#""topic":"all""#, number) }
        #expect(received(0) == Array(151...250))
        world.leave(devices[0], topic, at: .distantPast)
        for number in 251...300 { try send(#""topic":"all""#, number) }
        #expect(received(0) == Array(151...250))
        #expect(received(Self.count - 1) == Array(201...300))
    }
}
