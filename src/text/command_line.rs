//! A shell command line as far as it is one plain runner call.
