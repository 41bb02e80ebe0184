//! What of an environment speaks of a session around us.
//!
//! ```text
//! outer = a variable that ties git to one repository or call
//!       | a variable of an agent's family that is not among what the family's settings are
//! ```
//!
//! Of a family all goes but what is known to be a setting or a log-in, because a new version's
//! variables are not known before it is there. The families were read off the environments that
//! claude 2.1.330 and codex 0.169.0 give the commands which they run.

/// Git's variables that say which repository, index or call is meant.
const GIT: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_REFLOG_ACTION",
];

/// Single names that an agent's program gives its children.
const NAMES: &[&str] = &[
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_EFFORT",
    "GEMINI_CLI",
    "OPENCODE",
    "PI_CODING_AGENT",
];

/// A family's beginning, and the words of its names that are settings or a log-in: without them the
/// child is not logged in, or asks another provider than the person wants.
const FAMILIES: [(&str, &[&str]); 4] = [
    (
        "CLAUDE_CODE_",
        &[
            "USE_",
            "SKIP_",
            "OAUTH",
            "API_KEY",
            "CLIENT_",
            "CERT",
            "PROXY",
            "MAX_OUTPUT_TOKENS",
            "SUBAGENT_MODEL",
        ],
    ),
    ("CODEX_", &["HOME", "API_KEY", "ACCESS_TOKEN", "CERT", "PROXY"]),
    ("OPENCODE_", &["API_KEY", "MODELS_URL", "CERT", "PROXY"]),
    ("GEMINI_CLI_", &["HOME", "API_KEY", "PROXY"]),
];

/// Variables that tie a process to a repository or to an agent session around it. A child that
/// got them would work on the wrong index, or take itself for a part of that session.
pub fn is_outer_session(name: &str) -> bool {
    let of_family = |(beginning, settings): &(&str, &[&str])| {
        name.strip_prefix(beginning).is_some_and(|rest| !settings.iter().any(|word| rest.contains(word)))
    };
    GIT.contains(&name)
        || NAMES.contains(&name)
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_")
        || FAMILIES.iter().any(of_family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outer_session_is_left_behind_and_a_log_in_is_not() {
        for name in [
            "GIT_DIR",
            "GIT_INDEX_FILE",
            "GIT_CONFIG_KEY_0",
            "AI_AGENT",
            "CLAUDECODE",
            "CLAUDE_PID",
            "CLAUDE_EFFORT",
            "CLAUDE_CODE_CHILD_NOTES_DIR",
            "CLAUDE_CODE_CHILD_SESSION",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_EXECPATH",
            "CLAUDE_CODE_MESSAGING_SOCKET",
            "CLAUDE_CODE_MESSAGING_TOKEN",
            "CLAUDE_CODE_SESSION_ATTENDED",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_WHATEVER_COMES_NEXT",
            "CODEX_CI",
            "CODEX_PERMISSION_PROFILE",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_SESSION_ID",
            "CODEX_THREAD_ID",
            "CODEX_TOOL_CALL_ID",
            "OPENCODE",
            "OPENCODE_PID",
            "GEMINI_CLI",
            "GEMINI_CLI_TRUST_WORKSPACE",
            "PI_CODING_AGENT",
        ] {
            assert!(is_outer_session(name), "{name}");
        }
        for name in [
            "PATH",
            "GIT_AUTHOR_NAME",
            "GIT_SSH_COMMAND",
            "ANTHROPIC_API_KEY",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "CODEX_API_KEY",
            "GEMINI_API_KEY",
            "PI_CODING_AGENT_DIR",
        ] {
            assert!(!is_outer_session(name), "{name}");
        }
    }
}
