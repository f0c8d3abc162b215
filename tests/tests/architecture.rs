//! The shape ARCHITECTURE.md draws, held to the manifests.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which of our own crates each crate may build on. A crate that is not listed fails the test, so a
/// new one has to be given its place.
const ALLOWED: &[(&str, &[&str])] = &[
    ("codec", &[]),
    ("window", &["codec"]),
    ("summary", &["codec", "window"]),
    ("conversation", &["codec", "summary", "window"]),
    ("aws", &[]),
    ("agentcore", &["aws", "codec", "conversation"]),
    ("dynamodb", &["aws", "codec", "conversation"]),
    ("bedrock", &["aws", "conversation"]),
    ("system", &["conversation"]),
    ("edge", &["codec", "conversation", "system", "window"]),
    ("s3", &["edge"]),
    (
        "lambda",
        &[
            "agentcore",
            "aws",
            "conversation",
            "dynamodb",
            "edge",
            "s3",
            "system",
        ],
    ),
    (
        "local",
        &[
            "conversation",
            "edge",
            "emulator",
            "lambda",
            "load",
            "store",
            "summarize",
            "system",
        ],
    ),
    ("load", &["conversation", "edge", "lambda"]),
    ("store", &["conversation", "edge", "lambda"]),
    (
        "summarize",
        &["aws", "bedrock", "conversation", "edge", "lambda"],
    ),
    ("emulator", &[]),
    ("load-generator", &[]),
    ("simulation", &["codec", "conversation"]),
    (
        "tests",
        &[
            "agentcore",
            "aws",
            "bedrock",
            "codec",
            "conversation",
            "dynamodb",
            "emulator",
            "system",
        ],
    ),
];

/// What no pure crate depends on, by the beginning of its name.
const IMPURE: &[&str] = &["aws-", "tokio", "futures", "hyper", "axum", "rand"];

/// Crates that must stay free of what the prefix names, in any version.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("codec", IMPURE),
    ("window", IMPURE),
    ("summary", IMPURE),
    ("conversation", &["aws-", "tokio", "hyper", "axum", "rand"]),
];

/// Dependencies that may differ between tests and service, since little is built on them.
const SMALL: &[&str] = &["clap v", "clap_builder v", "rustix v"];

#[test]
fn our_crates_build_only_on_the_crates_below_them() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let packages = packages();
    let ours: BTreeSet<&str> = packages.keys().map(String::as_str).collect();
    for (name, dependencies) in &packages {
        let may = allowed
            .get(name.as_str())
            .unwrap_or_else(|| panic!("{name} has no place in ALLOWED"));
        for dependency in dependencies {
            assert!(
                !ours.contains(dependency.as_str()) || may.contains(&dependency.as_str()),
                "{name} must not depend on {dependency}"
            );
        }
    }
}

#[test]
fn pure_crates_stay_pure() {
    let packages = packages();
    for (name, prefixes) in FORBIDDEN {
        for dependency in &packages[*name] {
            assert!(
                !prefixes.iter().any(|prefix| dependency.starts_with(prefix)),
                "{name} must not depend on {dependency}"
            );
        }
    }
}

#[test]
fn only_the_local_run_believes_what_callers_say_of_themselves() {
    assert!(features_of_edge("local").contains(&"development".to_owned()));
    for function in functions() {
        assert_eq!(features_of_edge(&function), [""; 0], "{function}");
    }
}

/// A build of the tests leaves behind the dependencies `cargo run` wants: with other features the SDKs would be compiled
/// a second time, which takes minutes.
#[test]
fn the_tests_ask_no_more_of_dependencies_than_the_service_does() {
    let tests = features(&["--workspace", "--edges", "normal,build,dev"]);
    let service = features(&["--edges", "normal,build"]);
    assert!(service.iter().any(|line| line.starts_with("aws-runtime v")));
    let others: Vec<&String> = service.difference(&tests).collect();
    let small = |line: &String| SMALL.iter().any(|name| line.starts_with(name));
    assert!(others.iter().all(|line| small(line)), "{others:#?}");
}

#[test]
fn what_has_no_test_program_has_no_tests() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages is a list");
    let targets = packages
        .iter()
        .flat_map(|package| package["targets"].as_array().expect("targets is a list"));
    let mut left_out = 0;
    for target in targets.filter(|target| target["test"] == false && target["kind"][0] != "bench") {
        left_out += 1;
        for (path, code) in modules(Path::new(&text(&target["src_path"]))) {
            let tests = ["#[test", "#[tokio::test", "cfg(test)"];
            let tested = tests.iter().any(|mark| code.contains(mark));
            assert!(!tested, "{} has tests that never run", path.display());
        }
    }
    assert!(left_out > 0);
}

/// The functions, by the place of their manifests.
fn functions() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../functions");
    let entries = std::fs::read_dir(folder).expect("the functions have a folder");
    let names = entries.map(|entry| entry.expect("it can be listed").file_name());
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    assert!(names.len() >= 2, "{names:?}");
    names
}

/// The features the edge has when a package is built by itself, as deployments build it.
fn features_of_edge(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}|{f}", "-p", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "cargo tree failed on {package}");
    let tree = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let line = tree.lines().find(|line| line.starts_with("edge v"));
    let (_, features) = line
        .and_then(|line| line.split_once('|'))
        .unwrap_or_else(|| panic!("{package} does not depend on the edge"));
    let words = features
        .split([',', ' '])
        .filter(|word| word.starts_with(char::is_alphabetic));
    words.map(str::to_owned).collect()
}

/// Every package of a build with its version and features, as `cargo tree` tells with these arguments.
fn features(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(["--format", "{p}|{f}"])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "cargo tree failed");
    let tree = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

/// A source file and the files of its modules, with what is in them.
fn modules(file: &Path) -> Vec<(PathBuf, String)> {
    let code = std::fs::read_to_string(file).expect("a source file");
    let folder = file.parent().expect("a folder");
    let stem = file.file_stem().expect("a name");
    let inside = match stem.to_str() {
        Some("main" | "lib" | "mod") => folder.to_owned(),
        _ => folder.join(stem),
    };
    let mut found = Vec::new();
    for line in code.lines() {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ");
        if let Some(name) = name.and_then(|name| name.strip_suffix(';')) {
            let beside = inside.join(format!("{name}.rs"));
            let below = inside.join(name).join("mod.rs");
            found.extend(modules(if beside.exists() { &beside } else { &below }));
        }
    }
    found.push((file.to_owned(), code));
    found
}

/// Each workspace member with its normal dependencies (not the ones of its tests and build).
fn packages() -> BTreeMap<String, Vec<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages is a list");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list");
            let normal = dependencies
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| text(&dependency["name"]));
            (text(&package["name"]), normal.collect())
        })
        .collect()
}

/// What Cargo says about the workspace.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "cargo metadata failed");
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
