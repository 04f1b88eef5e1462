import Testing

@testable import EntitlementServer

@Suite struct WebhookAddressTests {
  @Test(arguments: [
    ("0.0.0.0", "thisNetwork"), ("0.255.255.255", "thisNetwork"), ("10.0.0.0", "privateUse"),
    ("10.255.255.255", "privateUse"), ("100.64.0.0", "sharedSpace"),
    ("100.127.255.255", "sharedSpace"), ("100.100.100.200", "cloudService"),
    ("127.0.0.1", "loopback"), ("127.255.255.255", "loopback"), ("169.254.0.0", "linkLocal"),
    ("169.254.169.254", "linkLocal"), ("169.254.170.2", "linkLocal"),
    ("172.16.0.0", "privateUse"), ("172.31.255.255", "privateUse"),
    ("192.0.0.0", "protocolAssignments"), ("192.0.0.192", "cloudService"),
    ("192.0.2.1", "documentation"), ("192.88.99.1", "relay"), ("192.168.0.0", "privateUse"),
    ("192.168.255.255", "privateUse"), ("198.18.0.0", "benchmarking"),
    ("198.19.255.255", "benchmarking"), ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"), ("224.0.0.0", "multicast"),
    ("239.255.255.255", "multicast"), ("240.0.0.0", "reserved"),
    ("255.255.255.255", "reserved"), ("168.63.129.16", "cloudService"), ("::", "unspecified"),
    ("::1", "loopback"), ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.1.2.3", "privateUse"),
    ("::ffff:a00:1", "privateUse"), ("::ffff:93.184.216.34", "translation"),
    ("::127.0.0.1", "loopback"), ("::ffff:0:10.0.0.1", "privateUse"),
    ("64:ff9b::169.254.169.254", "linkLocal"), ("64:ff9b::93.184.216.34", "translation"),
    ("64:ff9b:1::1", "notGlobal"), ("2002:7f00:1::", "loopback"),
    ("2002:5db8:d822::", "translation"), ("fc00::1", "uniqueLocal"),
    ("fdff:ffff::1", "uniqueLocal"), ("fd00:ec2::254", "cloudService"), ("fe80::1", "linkLocal"),
    ("febf:ffff::1", "linkLocal"), ("fec0::1", "uniqueLocal"), ("ff02::1", "multicast"),
    ("2001::1", "protocolAssignments"), ("2001:1ff:ffff::1", "protocolAssignments"),
    ("2001:db8::1", "documentation"), ("3fff:fff::1", "documentation"), ("100::1", "notGlobal"),
    ("4000::1", "notGlobal"), ("1::1", "notGlobal"),
  ])
  func everyRangeThatIsNotPublicIsRefused(text: String, ground: String) throws {
    let address = try #require(InternetAddress(text))
    #expect(AddressPolicy.refusal(of: address)?.rawValue == ground)
  }

  @Test(arguments: [
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
    "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "223.255.255.255", "2000::1", "2001:200::1", "2606:4700::1111", "2a00:1450:4001::200e",
    "3fff:1000::1",
  ])
  func publicAddressesAreAllowed(text: String) throws {
    let address = try #require(InternetAddress(text))
    #expect(AddressPolicy.refusal(of: address) == nil)
  }

  @Test(arguments: [
    "", "1", "127.1", "0x7f.0.0.1", "0177.0.0.1", "01.2.3.4", "1.2.3.4.5", "1.2.3.256", "1.2.3.",
    "2130706433", "1.2.3.4 ", "１.2.3.4", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
    "1::2::3", "12345::", "g::", "fe80::1%eth0", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:6:7:8::",
  ])
  func oddSpellingsAreNoAddresses(text: String) {
    #expect(InternetAddress(text) == nil)
  }

  @Test(arguments: [
    ("https://hooks.shop.com", "https://hooks.shop.com:443/"),
    ("https://Hooks.Shop.com:443/a?b=c", "https://hooks.shop.com:443/a?b=c"),
    ("HTTPS://hooks.shop.com:8443/a", "https://hooks.shop.com:8443/a"),
    ("https://hooks.shop.com?x", "https://hooks.shop.com:443/?x"),
    ("https://93.184.216.34/a", "https://93.184.216.34:443/a"),
    ("https://[2606:4700::1111]/a", "https://[2606:4700::1111]:443/a"),
    ("https://xn--bcher-kva.com/", "https://xn--bcher-kva.com:443/"),
    ("https://shop.com/a@b:c", "https://shop.com:443/a@b:c"),
  ])
  func plainURLsAreTaken(text: String, url: String) throws {
    #expect(try WebhookAddress(text, allowsLoopback: false).url == url)
  }

  @Test(arguments: [
    ("", "scheme"), ("hooks.shop.com", "scheme"), ("ftp://shop.com", "scheme"),
    ("http://hooks.shop.com/", "scheme"), ("file:///etc/passwd", "scheme"),
    ("gopher://shop.com", "scheme"), ("https:/shop.com", "scheme"),
    ("https://mia:secret@shop.com/", "credentials"), ("https://shop.com@10.0.0.1/", "credentials"),
    ("https://@shop.com/", "credentials"), ("https:///path", "host"), ("https://", "host"),
    ("https://localhost/", "host"), ("https://a.localhost/", "host"), ("https://shop/", "host"),
    ("https://printer.local/", "host"), ("https://db.internal/", "host"),
    ("https://metadata.google.internal/", "host"), ("https://router.home.arpa/", "host"),
    ("https://127.0.0.1/", "host"), ("https://10.0.0.1/", "host"),
    ("https://169.254.169.254/latest/meta-data/", "host"), ("https://127.1/", "host"),
    ("https://2130706433/", "host"), ("https://0x7f000001/", "host"),
    ("https://0x7f.0.0.1/", "host"), ("https://0177.0.0.1/", "host"), ("https://1.2.3/", "host"),
    ("https://[::1]/", "host"), ("https://[::ffff:10.0.0.1]/", "host"),
    ("https://[fe80::1]/", "host"), ("https://[::1/", "host"), ("https://[1.2.3.4]/", "host"),
    ("https://[fd00:ec2::254]/", "host"), ("https://shop.com./", "host"),
    ("https://.shop.com/", "host"), ("https://-shop.com/", "host"), ("https://sh%6fp.com/", "host"),
    ("https://shop..com/", "host"), ("https://shop.com:22/", "port"),
    ("https://shop.com:80/", "port"), ("https://shop.com:6379/", "port"),
    ("https://shop.com:/", "port"), ("https://shop.com:443443/", "port"),
    ("https://shop.com:0443a/", "port"), ("https://shop.com/#a", "fragment"),
    ("https://shop.com/a b", "characters"), ("https://shop.com/\r\nHost: x", "characters"),
    ("https://shöp.com/", "characters"), ("https://shop.com\\@10.0.0.1/", "characters"),
    ("https://shop.com/\u{0}", "characters"),
  ])
  func everythingElseIsRefusedWithAReason(text: String, refusal: String) throws {
    let expected = try #require(WebhookAddress.Refusal(rawValue: refusal))
    #expect(said(about: text) == "url has to be \(expected.wanted).")
  }

  /// What is said about a URL that is not taken.
  private func said(about text: String, allowsLoopback: Bool = false) -> String? {
    do throws(ServerError) {
      _ = try WebhookAddress(text, allowsLoopback: allowsLoopback)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func thisMachineIsAllowedInTestsOnly() throws {
    for text in ["http://127.0.0.1:9000/a", "http://localhost:80/", "http://[::1]:9000/"] {
      #expect(try WebhookAddress(text, allowsLoopback: true).url.hasPrefix("http://"))
      #expect(said(about: text) != nil)
    }
    // The rest of the network stays out, and out there encryption stays on.
    for text in ["http://10.0.0.1/", "http://hooks.shop.com/", "https://192.168.0.1/"] {
      #expect(said(about: text, allowsLoopback: true) != nil)
    }
  }

  @Test func urlsAreBoundedAtTheLimit() throws {
    let base = "https://shop.com/"
    let longest = base + String(repeating: "a", count: WebhookAddress.bytesMax - base.utf8.count)
    #expect(try WebhookAddress(longest, allowsLoopback: false).port == 443)
    #expect(said(about: longest + "a")?.contains("at most") == true)
    let label = String(repeating: "a", count: 63)
    let host = "\(label).\(label).\(label).\(String(repeating: "a", count: 57)).com"
    #expect(host.utf8.count == WebhookAddress.hostBytesMax)
    #expect(try WebhookAddress("https://\(host)/", allowsLoopback: false).host == host)
    #expect(said(about: "https://a\(host)/")?.contains("public name") == true)
  }
}
