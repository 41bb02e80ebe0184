//! The review of a halt on a whole screen: what is shown and which key means what ([`model`]), how it is
//! drawn ([`draw`]), and the terminal that it is drawn on ([`screen`]). Nothing is done here: a key that asks
//! for something comes back as a [`Wish`].

mod draw;
mod fitting;
mod model;
mod screen;

pub use draw::draw;
pub use model::{Head, Key, Model, Sheet, Wish};
pub use screen::{Heard, Screen, possible};
