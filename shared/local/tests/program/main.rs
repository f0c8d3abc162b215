//! The program as its user meets it, as a process of its own.

mod first_minute;
mod kept;
mod overload;
mod running;
