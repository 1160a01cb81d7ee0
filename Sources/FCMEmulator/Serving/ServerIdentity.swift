import Crypto
import NIOSSL
import SwiftASN1
import X509

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A private key and the certificate for it that clients are to trust, both made at start. Only the certificate is ever
/// written down.
struct ServerIdentity: Sendable {
    /// The certificate as PEM.
    let pem: String
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    private static let lifetime: TimeInterval = 30 * 86_400
    /// A client's clock may be a little behind.
    private static let lead: TimeInterval = 86_400

    /// - Parameter host: what the emulator listens on; its certificate is good for it and for the loopback names.
    init(host: String, now: Date) throws {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let name = try DistinguishedName { CommonName("herald emulator") }
        // Its own authority: that is what makes one file enough for every client. The strict ones want to see all of
        // this in it.
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-Self.lead), notValidAfter: now.addingTimeInterval(Self.lifetime),
            issuer: name, subject: name,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: publicKey)
                SubjectAlternativeNames(Self.names(for: host))
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        pem = try certificate.serializeAsPEM().pemString + "\n"
        self.certificate = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
        self.key = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
    }

    var tlsConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    private static func names(for host: String) -> [GeneralName] {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        // What is not ASCII is no name on the wire either: whoever wants to listen on it is told then.
        let others = [host].filter { !loopback.contains($0) && $0.utf8.allSatisfy { $0 < 0x80 } }
        return (loopback + others).map { name in
            address(name).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(name)
        }
    }

    /// The bytes of an IP address. `nil` for a name.
    private static func address(_ text: String) -> [UInt8]? {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
