// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

// A separate package, so that users of subledger do not resolve it, and so that it builds only what it needs. `run` builds
// it with the sanitizers, and requests them on the command line. A package cannot request them for targets of another
// package.
let package = Package(
  name: "fuzzing",
  platforms: [.macOS("26.0")],  // for tasks that start immediately
  dependencies: [
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
  ],
  targets: [
    .executableTarget(name: "fuzz", dependencies: ["AppStore", "Properties"], swiftSettings: house),
    // The folders are symbolic links to those of Sources and to Tests/Properties, because the tests check the same properties.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "AppStore",
      dependencies: [
        "CZlib",
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      swiftSettings: house + [.enableUpcomingFeature("InternalImportsByDefault")]
    ),
    .target(
      name: "TextTemplates", dependencies: ["AppStore"],
      swiftSettings: house + [.enableUpcomingFeature("InternalImportsByDefault")]
    ),
    .target(
      name: "Properties",
      dependencies: [
        "AppStore", "TextTemplates",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: house
    ),
  ]
)
