//! The functions' binaries, as deployed but for the profile: the one the tests have themselves.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The binary of a function. The first call builds both; Cargo hands a test only the binaries of its own
/// package.
///
/// They are built by themselves, so that they have the features they are deployed with, and not those that
/// other members of the workspace turn on in what they share.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    static PROGRAMS: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    let profile = if cfg!(debug_assertions) {
        "dev"
    } else {
        "release"
    };
    find(PROGRAMS.get_or_init(|| build(profile)), name)
}

/// The binary of a function as it is deployed. Building it takes minutes.
#[must_use]
pub fn deployed(name: &str) -> PathBuf {
    static PROGRAMS: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    find(PROGRAMS.get_or_init(|| build("deploy")), name)
}

fn find(programs: &HashMap<String, PathBuf>, name: &str) -> PathBuf {
    let found = programs.get(name);
    found
        .unwrap_or_else(|| panic!("{name} is no function"))
        .clone()
}

fn build(profile: &str) -> HashMap<String, PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--locked",
            "--message-format=json",
            "--profile",
            profile,
        ])
        .args(["-p", "load", "-p", "store", "--bins"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "the functions do not build");
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("cargo writes JSON"))
        .filter_map(|message| {
            let executable = message.get("executable")?.as_str()?;
            let name = message["target"]["name"].as_str()?;
            Some((name.to_owned(), PathBuf::from(executable)))
        })
        .collect()
}
