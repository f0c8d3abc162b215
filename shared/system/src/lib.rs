//! Time and randomness of the machine, behind the ports of the domain.
//!
//! ```
//! use conversation::ports::{Clock, Entropy};
//!
//! assert!(system::SystemClock::new().now_ms() > 1_700_000_000_000);
//! let entropy = system::SystemEntropy::new();
//! assert_ne!(entropy.next_u64(), entropy.next_u64());
//! ```

mod clock;
mod entropy;

pub use clock::SystemClock;
pub use entropy::SystemEntropy;
