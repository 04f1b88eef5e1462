public import Foundation

extension IAPConfiguration {
  /// Reads a configuration from a JSON file.
  ///
  /// - Parameter file: The file, for example one that is shipped with the app.
  /// - Throws: ``IAPError/invalidConfiguration(problems:)``, which names every bad key.
  public init(contentsOf file: URL) throws(IAPError) {
    guard let data = try? Data(contentsOf: file) else {
      throw .invalidConfiguration(problems: ["\(file.lastPathComponent) cannot be read"])
    }
    try self.init(json: data)
  }

  /// Reads a configuration from a bundle's Info.plist.
  ///
  /// - Parameter bundle: The bundle; the app's own one is `Bundle.main`.
  /// - Throws: ``IAPError/invalidConfiguration(problems:)``, which names every bad key.
  public init(bundle: Bundle) throws(IAPError) {
    try self.init(infoDictionary: bundle.infoDictionary ?? [:])
  }
}

/// What a build tells about how it was installed.
///
/// All of it is a hint: what is signed decides, once there is something signed.
package struct BuildTraits: Hashable, Sendable {
  /// Whether it was built for the simulator.
  package var isSimulator: Bool
  /// Whether a provisioning profile lies in the bundle; the App Store takes it out (iOS).
  package var hasProfile: Bool
  /// The name that the system gives to the receipt's file.
  package var receiptName: String?
  /// Whether there is a receipt.
  package var hasReceipt: Bool

  package init(isSimulator: Bool, hasProfile: Bool, receiptName: String?, hasReceipt: Bool) {
    self.isSimulator = isSimulator
    self.hasProfile = hasProfile
    self.receiptName = receiptName
    self.hasReceipt = hasReceipt
  }

  /// Whether purchases probably cost no money: simulator, Xcode, ad hoc and TestFlight.
  package var isSandboxHint: Bool { isSimulator || hasProfile || receiptName == "sandboxReceipt" }

  /// Whether the build probably runs from Xcode.
  package var isLocal: Bool { isSimulator || hasProfile && !hasReceipt }

  /// Those of the running app.
  package static var live: BuildTraits {
    #if targetEnvironment(simulator)
    let isSimulator = true
    #else
    let isSimulator = false
    #endif
    let receipt = Bundle.main.appStoreReceiptURL
    return BuildTraits(
      isSimulator: isSimulator,
      hasProfile: Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision") != nil,
      receiptName: receipt?.lastPathComponent,
      hasReceipt: receipt.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    )
  }
}
