import Crypto
import NIOSSL
import SwiftASN1
import X509

/// The server's private key and certificate, both made at start. Only the certificate is written to a file.
struct ServerIdentity: Sendable {
    /// The certificate as PEM.
    let pem: String
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    private static let lifetime: TimeInterval = 30 * 86_400
    /// In seconds. A client's clock may be behind ours.
    private static let lead: TimeInterval = 86_400

    /// - Parameter hosts: the certificate is valid for them and for the loopback names.
    init(hosts: [String], now: Date) throws {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let name = try DistinguishedName { CommonName("herald emulator") }
        // The certificate is its own authority, so one file is enough for every client. Strict clients require all of
        // these extensions.
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-Self.lead), notValidAfter: now.addingTimeInterval(Self.lifetime),
            issuer: name, subject: name,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: publicKey)
                SubjectAlternativeNames(Self.names(for: hosts))
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

    private static func names(for hosts: [String]) -> [GeneralName] {
        let loopback = ["localhost", "127.0.0.1", "::1"]
        // A host name that is not ASCII cannot be used on the wire. Listening on it fails later with a message.
        let others = hosts.filter { !loopback.contains($0) && $0.utf8.allSatisfy { $0 < 0x80 } }
        return (loopback + others).map { name in
            HostName(name).address.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(name)
        }
    }
}
