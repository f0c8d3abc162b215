//! The shape ARCHITECTURE.md draws, held to the manifests.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
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

/// Each workspace member with its normal dependencies (not the ones of its tests and build).
fn packages() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "cargo metadata failed");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
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

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
