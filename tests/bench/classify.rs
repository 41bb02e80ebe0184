//! What it takes to say of 5,000 failed tests which kind of red each is, their sources included.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use tdd_core::classify::{Body, Expectation, Sources, criterion_red};
use tdd_core::criterion::CriterionId;
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::test::{Failure, FailureKind, Outcome, TestId, TestReport, TestResult};
use tdd_source::{Language, TestFile};

use super::table::{Figure, Row, median};

const TESTS: usize = 5000;
const FILES: usize = 50;
const BOUND: Duration = Duration::from_millis(100);
const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    let id = CriterionId::parse("AC-BENCH-1.1").unwrap();
    let files: Vec<RelPath> =
        (0..FILES).map(|n| RelPath::new(&format!("tests/test_ac_bench_1_1_{n}.py")).unwrap()).collect();
    let mapping = Mapping::assign(std::slice::from_ref(&id), &files, &BTreeMap::new(), "");
    let texts: BTreeMap<&RelPath, String> = files.iter().map(|file| (file, source())).collect();
    let report = TestReport {
        tests: files.iter().flat_map(|file| (0..TESTS / FILES).map(move |n| failed(file, n))).collect(),
        complete: true,
        ..TestReport::default()
    };
    let mut read = Vec::new();
    let mut classified = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        let book: BTreeMap<&RelPath, TestFile> = texts
            .iter()
            .map(|(file, text)| (*file, TestFile::read(Language::Python, text).unwrap()))
            .collect();
        read.push(began.elapsed());
        let body = |file: &RelPath, id: &TestId| {
            let facts = book[file].body(id.0.split_once("::").unwrap().1).unwrap();
            let looks_at = Some(facts.looks_at.clone());
            Body { expectation: Expectation::Held, looks_at, ..Body::default() }
        };
        let sources = Sources { declared: &|_| Vec::new(), body: &body, takes_part: &|_, _| true };
        let began = Instant::now();
        let found = criterion_red(&id, &mapping, (&report, Some(&report)), &sources);
        assert_eq!(found.tests.len(), TESTS);
        assert!(found.tests.iter().all(|test| test.kind.is_accepted()));
        classified.push(began.elapsed());
    }
    let row = |what: &str, times: Vec<Duration>, note: &str| Row {
        what: what.to_owned(),
        figure: Figure::Time { measured: median(times), bound: BOUND },
        note: format!("median of {TIMES}, {note}"),
    };
    vec![
        row("classify: 5,000 tests of a report", classified, "two runs, each test missing a symbol"),
        row("classify: their 50 sources read by grammar", read, "100 tests in each"),
    ]
}

fn source() -> String {
    let mut text = String::from("from shop.cart import total, Cart\n\n");
    for n in 0..TESTS / FILES {
        let _ = write!(
            text,
            "def test_{n}():\n    cart = Cart()\n    cart.add({n})\n    assert total(cart) == {n}\n\n"
        );
    }
    text
}

fn failed(file: &RelPath, n: usize) -> TestResult {
    let failure = Failure {
        kind: FailureKind::Missing,
        message: "ImportError: cannot import name 'total'".to_owned(),
        absent: Some("shop.cart.total".to_owned()),
        absent_too: Vec::new(),
    };
    TestResult {
        id: TestId(format!("{file}::test_{n}")),
        file: Some(file.clone()),
        outcome: Outcome::Failed(failure),
        duration_ms: 1,
    }
}
