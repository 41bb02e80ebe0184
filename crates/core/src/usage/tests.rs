use super::*;

fn usage(input: u64, output: u64, usd: u64) -> Usage {
    Usage { input: Some(input), cached: None, output: Some(output), usd: Some(Usd(usd)) }
}

#[test]
fn only_amounts_are_money() {
    for (dollars, want) in [
        (0.0, Some(0)),
        (-0.0, Some(0)),
        (0.042_137, Some(42_137)),
        (1_000_000.0, Some(1_000_000_000_000)),
        (-0.01, None),
        (1_000_000.5, None),
        (f64::NAN, None),
        (f64::INFINITY, None),
        (f64::NEG_INFINITY, None),
        (1e300, None),
    ] {
        assert_eq!(Usd::of_dollars(dollars), want.map(Usd), "{dollars}");
    }
}

#[test]
fn small_amounts_are_shown_finely() {
    for (millionths, want) in [
        (0, "$0.0000"),
        (7, "under $0.0001"),
        (42_137, "$0.0421"),
        (999_949, "$0.9999"),
        (1_000_000, "$1.00"),
        (12_345_678, "$12.35"),
    ] {
        assert_eq!(Usd(millionths).to_string(), want);
    }
}

#[test]
fn what_was_not_told_is_never_zero() {
    let nothing = Usage::default();
    assert_eq!(nothing.tokens(), None);
    assert_eq!(nothing.plus(&nothing), nothing);
    let some = Usage { output: Some(5), ..nothing };
    assert_eq!(some.tokens(), Some(5));
    assert_eq!(nothing.plus(&some), some);
    let mut tally = Tally::default();
    tally.add(&nothing);
    tally.add(&usage(3, 2, 1));
    assert_eq!(tally, Tally { children: 2, told: usage(3, 2, 1), without_tokens: 1, without_usd: 1 });
}

#[test]
fn sums_never_overflow() {
    let huge = usage(u64::MAX, 1, u64::MAX);
    assert_eq!(huge.plus(&huge).input, Some(u64::MAX));
    assert_eq!(huge.tokens(), Some(u64::MAX));
    assert_eq!(huge.plus(&huge).usd, Some(Usd(u64::MAX)));
}

#[test]
fn a_count_of_a_session_is_told_by_its_steps() {
    let (first, second) = (usage(100, 10, 500), usage(150, 25, 700));
    assert_eq!(second.since(&first), usage(50, 15, 200));
    assert_eq!(second.since(&Usage::default()), second);
    assert_eq!(first.since(&second), first, "a smaller count began anew");
    assert_eq!(Usage::default().since(&first), Usage::default(), "nothing told is nothing known");
}

#[test]
fn each_cap_is_reached_by_its_own_figure() {
    let caps = Caps { usd: Some(Usd(100)), tokens: Some(50), wall_ms: Some(1000) };
    for (used, wall, want) in [
        (Usage::default(), 0, None),
        (usage(20, 29, 99), 999, None),
        (usage(20, 30, 99), 999, Some(Cap::Tokens)),
        (usage(20, 29, 100), 999, Some(Cap::Usd)),
        (usage(20, 29, 99), 1000, Some(Cap::Wall)),
        (Usage::default(), 1000, Some(Cap::Wall)),
    ] {
        assert_eq!(caps.reached(&used, wall), want, "{used:?} {wall}");
        assert_eq!(Caps::default().reached(&used, wall), None, "no bound is never reached");
    }
    let left = caps.less(&usage(20, 40, 30), 400);
    assert_eq!(left, Caps { usd: Some(Usd(70)), tokens: Some(0), wall_ms: Some(600) });
    assert_eq!(Caps::default().less(&usage(1, 1, 1), 1), Caps::default());
    let higher = Caps { usd: Some(Usd(7)), ..Caps::default() };
    assert_eq!(higher.or(&caps), Caps { usd: Some(Usd(7)), ..caps });
}
