// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

// A separate package, so that users of subledger do not resolve it. `run` builds it with the sanitizers, and requests
// them on the command line. A package cannot request them for targets of another package.
let package = Package(
  name: "fuzzing",
  platforms: [.macOS("26.0")],  // for tasks that start immediately
  dependencies: [
    .package(name: "subledger", path: "../.."),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: ["Properties", .product(name: "AppStore", package: "subledger")],
      swiftSettings: house
    ),
    // A symbolic link to Tests/Properties, because the tests check the same properties.
    .target(
      name: "Properties",
      dependencies: [
        .product(name: "AppStore", package: "subledger"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: house
    ),
  ]
)
