"""The parts of `.ci/nightly/real-repositories`: one table of repositories a language, and what plays them."""
