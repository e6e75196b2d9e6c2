// swift-tools-version: 6.2

import PackageDescription

/// One set of habits for every target of ours; dependencies keep their own.
let house: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// What a library imports is its own affair, unless it says otherwise.
let library = house + [.enableUpcomingFeature("InternalImportsByDefault")]

/// SQLite by GRDB, and by its own functions.
let sqlite: [Target.Dependency] = [
  .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
]

let package = Package(
  name: "subledger",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "subledger", targets: ["subledger"]),
    .executable(name: "subledger-server", targets: ["SubledgerServer"]),
    .library(name: "AppStore", targets: ["AppStore"]),
    .library(name: "Charts", targets: ["Charts"]),
    .library(name: "Ledger", targets: ["Ledger"]),
    .library(name: "AppStoreSimulator", targets: ["AppStoreSimulator"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
  ],
  targets: [
    .target(
      name: "AppStore",
      dependencies: [
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
        "CZlib",
      ],
      swiftSettings: library
    ),
    // The system's zlib, for reports that are compressed.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    // Texts as a ledger stores them: a template that many share, and the values of each. It knows columns, and no SQL.
    .target(name: "TextTemplates", dependencies: ["AppStore"], swiftSettings: library),
    // SQL: migrations, views, the data dictionary, other engines' dialects.
    .target(
      name: "LedgerSchema",
      dependencies: [
        "BuildVersion",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      resources: [.embedInCode("Migrations")],  // a link to /Migrations
      swiftSettings: library,
      plugins: ["ScriptList"]
    ),
    .plugin(
      name: "ScriptList", capability: .buildTool(), path: "Packaging/ScriptList", exclude: ["write-scripts"]),
    // The file: opening, recording, sealing, projections.
    .target(
      name: "LedgerStore",
      dependencies: [
        "AppStore", "LedgerSchema", "TextTemplates",
        .product(name: "Crypto", package: "swift-crypto"),
      ] + sqlite,
      swiftSettings: library
    ),
    // Asks for entitlements, history and customers. The rules themselves are SQL: Migrations/views/rules.
    .target(
      name: "LedgerQueries",
      dependencies: [
        "AppStore", "LedgerSchema", "LedgerStore",
      ] + sqlite,
      swiftSettings: library
    ),
    // Metrics and exports.
    .target(
      name: "LedgerReports",
      dependencies: [
        "AppStore", "LedgerSchema", "LedgerStore",
        .product(name: "Crypto", package: "swift-crypto"),
      ] + sqlite,
      swiftSettings: library
    ),
    // Audit, backup, erasure.
    .target(
      name: "LedgerMaintenance",
      dependencies: [
        "AppStore", "LedgerReports", "LedgerSchema", "LedgerStore",
        .product(name: "Crypto", package: "swift-crypto"),
      ] + sqlite,
      swiftSettings: library
    ),
    // All of them, for programs that want one import.
    .target(
      name: "Ledger",
      dependencies: [
        "AppStore", "LedgerMaintenance", "LedgerQueries", "LedgerReports", "LedgerSchema", "LedgerStore",
      ],
      swiftSettings: library
    ),
    // Answers as English sentences and as JSON, for both programs.
    .target(name: "LedgerPresentation", dependencies: ["AppStore", "Ledger"], swiftSettings: house),
    // Reports as charts, tables and sentences.
    .target(
      name: "ReportPresentation", dependencies: ["AppStore", "Charts", "Ledger", "LedgerPresentation"],
      swiftSettings: house),
    // What both programs read from options and write into folders: files, instants, simulations.
    .target(
      name: "ProgramSupport",
      dependencies: [
        "AppStore", "AppStoreSimulator", "LedgerPresentation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house
    ),
    // The simulated App Store.
    .target(
      name: "AppStoreSimulator",
      dependencies: [
        "AppStore",
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: library
    ),
    // Figures as pictures: it knows nothing of ledgers, and so depends on nothing.
    .target(name: "Charts", swiftSettings: library),
    // What only C can say to SQLite.
    .target(name: "SQLiteSettings", linkerSettings: [.linkedLibrary("sqlite3")]),
    // The version, and the commit that it is built from; Commit.swift is made by each build.
    .target(name: "BuildVersion", swiftSettings: library, plugins: ["CommitFile"]),
    .plugin(
      name: "CommitFile", capability: .buildTool(), path: "Packaging/CommitFile", exclude: ["write-commit"]),
    .executableTarget(
      name: "subledger",
      dependencies: [
        "AppStore", "AppStoreSimulator", "BuildVersion", "Charts", "Ledger", "LedgerPresentation", "ProgramSupport",
        "ReportPresentation", "SQLiteSettings",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house
    ),
    // What a server keeps in the file: tokens, repeated requests, the change feed.
    .target(
      name: "LedgerService",
      dependencies: [
        "AppStore", "LedgerQueries", "LedgerSchema", "LedgerStore",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: library
    ),
    // Keeps a ledger in step with Apple: asks, and records the answers.
    .target(
      name: "LedgerSync", dependencies: ["AppStore", "AppStoreClient", "Ledger", "LedgerService", "LedgerStore"],
      swiftSettings: library
    ),
    // The pages for people, as HTML. It knows no request and no SQL.
    .target(
      name: "SupportPages",
      dependencies: [
        "AppStore", "Charts", "Ledger", "LedgerPresentation", "ReportPresentation",
        .product(name: "Mustache", package: "swift-mustache"),
      ],
      resources: [
        "layout.mustache", "sign-in.mustache", "search.mustache", "results.mustache", "person.mustache",
        "purchase.mustache", "why.mustache", "evidence.mustache", "access-log.mustache", "grant.mustache",
        "end-grant.mustache", "problem.mustache", "compare.mustache", "timebar.mustache", "events.mustache",
        "timeline.mustache", "link.mustache", "unlink.mustache", "forget.mustache", "unsent.mustache",
        "reports.mustache", "refunds.mustache", "apple-act.mustache", "health.mustache",
        "faults.mustache",
        "purchase-lines.mustache", "ask.mustache", "style.css",
      ].map { .embedInCode("Templates/\($0)") },
      swiftSettings: library
    ),
    // How a server accepts connections. It knows no request.
    .target(
      name: "HTTPConnections",
      dependencies: [
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: library
    ),
    // HTTP: receives Apple's notifications, and answers back ends and staff.
    .target(
      name: "LedgerServer",
      dependencies: [
        "AppStore", "AppStoreClient", "HTTPConnections", "Ledger", "LedgerPresentation", "LedgerService", "LedgerStore",
        "LedgerSync", "ReportPresentation", "SupportPages",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("openapi.json")],
      swiftSettings: library
    ),
    // Asks Apple's servers. It knows their answers as bytes, and no ledger.
    .target(
      name: "AppStoreClient",
      dependencies: [
        "AppStore",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: library
    ),
    // The simulated App Store behind HTTP.
    .target(
      name: "AppStoreServer",
      dependencies: [
        "AppStore", "AppStoreSimulator", "HTTPConnections",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("page.mustache")],
      swiftSettings: library
    ),
    .executableTarget(
      name: "SubledgerServer",
      dependencies: [
        "AppStore", "AppStoreClient", "AppStoreServer", "AppStoreSimulator", "BuildVersion", "Ledger",
        "LedgerPresentation", "LedgerServer", "LedgerService", "LedgerSync", "ProgramSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: house
    ),
    // Measures the programs against what a user would use instead. Nothing depends on it.
    .executableTarget(
      name: "benchmark",
      dependencies: [
        "AppStore", "AppStoreSimulator", "Ledger", "LedgerStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      path: "Benchmarks/Sources",
      swiftSettings: house
    ),
    .target(name: "SQLiteSetup", dependencies: ["SQLiteSettings"], path: "Tests/SQLiteSetup"),
    .target(
      name: "TestSupport",
      dependencies: [
        "AppStore", "Ledger", "SQLiteSetup", "AppStoreSimulator",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: house
    ),
    // What must hold at every door, whatever comes in: shared with Tests/Fuzzing.
    .target(
      name: "Properties",
      dependencies: [
        "AppStore", "TextTemplates",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      path: "Tests/Properties",
      swiftSettings: house
    ),
    .testTarget(
      name: "AppStoreTests",
      dependencies: [
        "AppStore", "Properties", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ],
      exclude: ["Data"],
      swiftSettings: house
    ),
    .testTarget(
      name: "TextTemplatesTests",
      dependencies: ["AppStore", "Properties", "TestSupport", "TextTemplates"],
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerSchemaTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerSchema", "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerStoreTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerSchema", "LedgerStore", "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerQueriesTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerQueries", "LedgerSchema", "LedgerStore", "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerReportsTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerReports", "LedgerSchema", "LedgerStore", "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerMaintenanceTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerMaintenance", "LedgerReports", "LedgerSchema", "LedgerService", "LedgerStore",
        "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerMaintenance", "LedgerQueries", "LedgerReports", "LedgerSchema", "LedgerService",
        "LedgerStore", "TestSupport",
      ] + sqlite,
      swiftSettings: house
    ),
    .testTarget(
      name: "AppStoreSimulatorTests",
      dependencies: [
        "AppStore", "Ledger", "AppStoreSimulator", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "ChartsTests", dependencies: ["Charts", "TestSupport"], exclude: ["browser"], swiftSettings: house),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "AppStore", "AppStoreSimulator", "Ledger", "LedgerPresentation", "ReportPresentation", "TestSupport",
        "subledger",
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerServiceTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerService", "LedgerStore", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "LedgerServerTests",
      dependencies: [
        "AppStore", "Ledger", "LedgerPresentation", "LedgerServer", "LedgerService", "LedgerStore", "SubledgerServer",
        "SupportPages", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "AppStoreClientTests",
      dependencies: [
        "AppStore", "AppStoreClient", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "AppStoreServerTests",
      dependencies: [
        "AppStore", "AppStoreClient", "AppStoreServer", "AppStoreSimulator", "HTTPConnections", "Ledger",
        "LedgerServer", "LedgerService", "LedgerSync", "SubledgerServer", "TestSupport", "subledger",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      exclude: ["client.py"],
      swiftSettings: house
    ),
    .testTarget(
      name: "TrialTests",
      dependencies: ["AppStore", "Ledger", "TestSupport", "subledger", .product(name: "GRDB", package: "GRDB.swift")],
      exclude: ["Data", "Support/faults.c", "run"],
      swiftSettings: house
    ),
  ]
)
