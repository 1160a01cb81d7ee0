/// A part of a link's path that has placeholders and may come out as `.` or `..`, which would lead elsewhere.
struct LinkSegment: Hashable, Sendable {
    /// The points that its author wrote.
    private let points: Int
    private let slots: [MessageTemplate.Slot]

    /// The field at fault, if there is only one.
    var field: Int? { Set(slots.map(\.field)).count == 1 ? slots.first?.field : nil }

    func leadsElsewhere(_ row: PersonalRow) -> Bool {
        var length = points
        for slot in slots {
            let value = row[slot.field]
            guard value.count <= 2, value.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return false }
            if !value.isEmpty {
                length += value.count
            } else if let fallback = slot.fallback {
                guard fallback.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return false }
                length += fallback.count
            }
        }
        return length == 1 || length == 2
    }

    /// The segments of a text that need a look at every row.
    static func all(in text: [MessageTemplate.Part]) -> [LinkSegment] {
        var segments: [LinkSegment] = []
        var (points, isFree, slots): (Int, Bool, [MessageTemplate.Slot]) = (0, true, [])
        func end() {
            if isFree, !slots.isEmpty { segments.append(.init(points: points, slots: slots)) }
            (points, isFree, slots) = (0, true, [])
        }
        for part in text {
            switch part {
            case .slot(let slot):
                guard slot.writing == .link else { return [] }
                slots.append(slot)
            case .literal(let text):
                // Browsers read %2e as a point.
                for sign in text.replacing("%2e", with: ".").replacing("%2E", with: ".").unicodeScalars {
                    switch sign {
                    case "/", "\\": end()
                    case "?", "#":
                        end()
                        return segments
                    case ".": points += 1
                    default: isFree = false
                    }
                }
            }
        }
        end()
        return segments
    }
}
