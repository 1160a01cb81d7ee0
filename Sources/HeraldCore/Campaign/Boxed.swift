/// Keeps a value behind a reference. What holds it is small then, and passes over many of them copy little.
@propertyWrapper
package enum Boxed<Value> {
    indirect case value(Value)

    package init(wrappedValue: Value) { self = .value(wrappedValue) }

    package var wrappedValue: Value {
        get {
            switch self {
            case .value(let value): value
            }
        }
        set { self = .value(newValue) }
    }
}

extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
extension Boxed: Sendable where Value: Sendable {}
