//! Whether a person's own settings are as they were when a run began. They say which programs the next
//! run starts, and lie outside of every repository, where only a sandbox holds a child.

use std::path::PathBuf;

use crate::settings::Environment;
use crate::view::print;
use crate::world::config_file;

/// The settings as they were.
pub struct OwnSettings {
    file: Option<PathBuf>,
    text: Option<String>,
}

impl OwnSettings {
    pub fn now(environment: &Environment) -> Self {
        let file = environment.config_home.as_deref().map(config_file::persons);
        Self { text: text(file.as_ref()), file }
    }

    /// Not put back, and nobody is blamed: the person may have written there meanwhile.
    pub fn tell_change(&self) {
        let Some(file) = self.file.as_ref().filter(|file| text(Some(file)) != self.text) else { return };
        print::message(&format!(
            "tdd: warning: your own settings changed while children were at work: {}\n  \
             why it matters: they say which programs the next run starts\n  \
             next: if it was not you, look at the file; `tdd config` tells what it says",
            file.display()
        ));
    }
}

fn text(file: Option<&PathBuf>) -> Option<String> {
    file.and_then(|file| config_file::read_at(file).ok().flatten())
}
