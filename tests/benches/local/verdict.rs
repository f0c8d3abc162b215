//! Whether all was as it has to be.

use std::process::ExitCode;

/// What was expected, and whether it came so.
#[derive(Default)]
pub(crate) struct Verdict(Vec<(&'static str, bool)>);

impl Verdict {
    pub(crate) fn expect(&mut self, holds: bool, what: &'static str) {
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, so_far)) => *so_far &= holds,
            None => self.0.push((what, holds)),
        }
    }

    /// Prints it all, and fails if anything does.
    pub(crate) fn tell(&self) -> ExitCode {
        println!();
        for (what, holds) in &self.0 {
            println!("- {}: {what}", if *holds { "pass" } else { "FAIL" });
        }
        if self.0.iter().all(|(_, holds)| *holds) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
