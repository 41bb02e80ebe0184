//! The loop: `next → effect → port → event → journal → apply → view`, and the ports it needs.
//!
//! Knows core and text. Knows no adapter: what lies behind a port is wired in `commands`.

mod apart;
pub mod baseline;
mod between;
mod caps;
pub mod conclude;
pub mod cycle;
mod development;
pub mod drive;
pub mod fix;
pub mod flags;
pub mod fork;
mod held_out;
pub mod learn;
pub mod mdtest;
mod meanwhile;
mod measure;
mod needs_tests;
pub mod prompts;
mod put_back;
mod reassigning;
pub mod report;
pub mod resume;
mod role_text;
mod seen;
pub mod setup;
mod sightings;
mod support;
mod unclaimed;
mod whose;
mod work_diff;
