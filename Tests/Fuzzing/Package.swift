// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

// A package of its own, so that nobody who uses subledger resolves it. `run` builds it with the sanitizers, which have to
// be asked for on the command line: a package cannot ask for them in targets of another.
let package = Package(
  name: "fuzzing",
  platforms: [.macOS("26.0")],  // for tasks that begin at once
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
    // A link: the tests check the same.
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
