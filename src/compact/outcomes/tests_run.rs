//! Results of test runs, by the summary lines of the runners.

use super::errors::plain;

/// Numbers of one run.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Run {
    fn shown(self, runner: &str) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        format!("{runner}: {} passed, {} failed{skipped}", self.passed, self.failed)
    }
}

type Reader = fn(&[String]) -> Option<String>;

/// What a test runner reports in an output: cargo, nextest, pytest, unittest, jest, vitest, mocha, go, node.
#[must_use]
pub fn test_result(text: &str) -> Option<String> {
    let readers: [Reader; 8] = [cargo, nextest, pytest, unittest, jest, node, mocha, go];
    // Runners sum up in lines of their own, which are short.
    let lines: Vec<String> = text.lines().filter(|line| line.len() < 400).map(plain).collect();
    readers.iter().find_map(|reader| reader(&lines))
}

/// The number in front of a word: `3 failed`.
fn before(line: &str, word: &str) -> Option<u64> {
    let mut last: Option<&str> = None;
    for token in line
        .split([' ', ',', '|', ';', '(', ')', '\t'])
        .filter(|token| !token.is_empty())
    {
        if token == word {
            return last?.parse().ok();
        }
        last = Some(token);
    }
    None
}

/// `test result: FAILED. 13 passed; 3 failed; 0 ignored; …`, one line a binary.
fn cargo(lines: &[String]) -> Option<String> {
    let found = lines
        .iter()
        .filter(|line| line.trim_start().starts_with("test result: "));
    let runs: Vec<Run> = found
        .filter_map(|line| {
            Some(Run {
                passed: before(line, "passed")?,
                failed: before(line, "failed")?,
                skipped: before(line, "ignored").unwrap_or(0),
            })
        })
        .collect();
    (!runs.is_empty()).then(|| {
        let sum = runs.iter().fold(Run::default(), |sum, run| Run {
            passed: sum.passed + run.passed,
            failed: sum.failed + run.failed,
            skipped: sum.skipped + run.skipped,
        });
        sum.shown("cargo test")
    })
}

/// `Summary [   0.1s] 10 tests run: 9 passed, 1 failed, 2 skipped`
fn nextest(lines: &[String]) -> Option<String> {
    let line = lines
        .iter()
        .rev()
        .find(|line| line.trim_start().starts_with("Summary [") && line.contains("tests run"))?;
    Some(named(line).shown("nextest"))
}

fn named(line: &str) -> Run {
    let at = |word: &str| before(line, word).unwrap_or(0);
    Run {
        passed: at("passed"),
        failed: at("failed") + at("error") + at("errors"),
        skipped: at("skipped"),
    }
}

/// `==== 3 failed, 10 passed, 1 skipped in 1.23s ====`; with `-q` without the bars.
fn pytest(lines: &[String]) -> Option<String> {
    let line = lines.iter().rev().find(|line| {
        let inner = line.trim().trim_matches('=').trim();
        let counts = inner
            .split_once(" in ")
            .filter(|(_, time)| time.starts_with(|digit: char| digit.is_ascii_digit()));
        counts.is_some_and(|(counts, _)| {
            counts.split(", ").all(|entry| {
                let mut words = entry.split(' ');
                let is_count = words.next().is_some_and(|number| number.parse::<u64>().is_ok());
                let what = words.next().unwrap_or_default();
                is_count
                    && words.next().is_none()
                    && matches!(
                        what,
                        "passed"
                            | "failed"
                            | "skipped"
                            | "error"
                            | "errors"
                            | "warning"
                            | "warnings"
                            | "xfailed"
                            | "xpassed"
                            | "deselected"
                            | "rerun"
                    )
            })
        })
    })?;
    Some(named(line).shown("pytest"))
}

/// `Ran 5 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=2)`.
fn unittest(lines: &[String]) -> Option<String> {
    let at = lines
        .iter()
        .rposition(|line| line.starts_with("Ran ") && line.contains(" test"))?;
    let ran: u64 = lines.get(at)?.split(' ').nth(1)?.parse().ok()?;
    let verdict = lines
        .iter()
        .skip(at + 1)
        .find(|line| line.starts_with("OK") || line.starts_with("FAILED"))?;
    let at = |key: &str| {
        let rest = verdict.split_once(key).map_or("", |(_, rest)| rest);
        rest.split([',', ')'])
            .next()
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0)
    };
    let failed = at("failures=") + at("errors=");
    let skipped = at("skipped=");
    let run = Run {
        passed: ran.saturating_sub(failed + skipped),
        failed,
        skipped,
    };
    Some(run.shown("unittest"))
}

/// jest's `Tests:  1 failed, 2 passed, 3 total`, vitest's `Tests  1 failed | 2 passed (3)`.
fn jest(lines: &[String]) -> Option<String> {
    lines.iter().rev().find_map(|line| {
        let line = line.trim();
        let (rest, runner) = match line.strip_prefix("Tests:") {
            Some(rest) => (rest, "jest"),
            None => (line.strip_prefix("Tests  ")?, "vitest"),
        };
        let counts = before(rest, "passed").is_some() || before(rest, "failed").is_some();
        counts.then(|| named(rest).shown(runner))
    })
}

/// node's `# pass 17` or `ℹ pass 17`.
fn node(lines: &[String]) -> Option<String> {
    let at = |key: &str| {
        lines.iter().rev().find_map(|line| {
            let rest = line
                .trim()
                .strip_prefix("# ")
                .or_else(|| line.trim().strip_prefix("ℹ "))?;
            rest.strip_prefix(key)?.trim().parse::<u64>().ok()
        })
    };
    at("tests ")?;
    let run = Run {
        passed: at("pass ")?,
        failed: at("fail ")?,
        skipped: at("skipped ").unwrap_or(0),
    };
    Some(run.shown("node --test"))
}

/// `5 passing (10ms)` and `1 failing`.
fn mocha(lines: &[String]) -> Option<String> {
    let at = |word: &str| {
        lines.iter().rev().find_map(|line| {
            let line = line.trim();
            let (number, rest) = line.split_once(' ')?;
            let is_it = rest == word || rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(" ("));
            is_it.then(|| number.parse::<u64>().ok()).flatten()
        })
    };
    let passed = at("passing")?;
    let run = Run {
        passed,
        failed: at("failing").unwrap_or(0),
        skipped: at("pending").unwrap_or(0),
    };
    Some(run.shown("mocha"))
}

/// `ok`, package and time between tabs, or `FAIL` in the place of `ok`; with `-v`, the failed tests by name.
fn go(lines: &[String]) -> Option<String> {
    let starts = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    let passed = lines
        .iter()
        .filter(|line| {
            line.starts_with("ok")
                && line.get(2..3).is_some_and(|next| matches!(next, " " | "\t"))
                && line.contains('\t')
        })
        .count();
    let failed = starts("FAIL\t");
    if passed + failed == 0 {
        return None;
    }
    let tests: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.trim_start().strip_prefix("--- FAIL: "))
        .filter_map(|rest| rest.split(' ').next())
        .take(5)
        .collect();
    let names = if tests.is_empty() {
        String::new()
    } else {
        format!(" ({})", tests.join(", "))
    };
    Some(format!("go test: {passed} package(s) ok, {failed} failed{names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_known_by_their_summary() {
        for (text, result) in [
            (
                "running 1 test\ntest result: ok. 1 passed; 0 failed; 2 ignored; 0 measured\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored\n",
                "cargo test: 4 passed, 1 failed, 2 skipped",
            ),
            (
                "     Summary [   0.1s] 10 tests run: 9 passed, 1 failed, 2 skipped",
                "nextest: 9 passed, 1 failed, 2 skipped",
            ),
            (
                "==== 3 failed, 10 passed, 1 skipped in 1.23s ====",
                "pytest: 10 passed, 3 failed, 1 skipped",
            ),
            ("1 passed in 0.01s", "pytest: 1 passed, 0 failed"),
            ("2 passed, 1 warning in 1.2s (0:00:01)", "pytest: 2 passed, 0 failed"),
            (
                "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=2)",
                "unittest: 2 passed, 3 failed",
            ),
            ("Ran 1 test in 0.001s\n\nOK", "unittest: 1 passed, 0 failed"),
            (
                "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total",
                "jest: 2 passed, 1 failed",
            ),
            (
                " Test Files  1 passed (1)\n      \u{1b}[2mTests \u{1b}[22m 1 failed | 2 passed (3)",
                "vitest: 2 passed, 1 failed",
            ),
            (
                "# tests 17\n# pass 16\n# fail 1\n# skipped 0",
                "node --test: 16 passed, 1 failed",
            ),
            ("ℹ tests 2\nℹ pass 2\nℹ fail 0", "node --test: 2 passed, 0 failed"),
            ("  5 passing (10ms)\n  1 failing\n", "mocha: 5 passed, 1 failed"),
            (
                "ok  \texample/a\t0.01s\n--- FAIL: TestX (0.00s)\nFAIL\texample/b\t0.01s",
                "go test: 1 package(s) ok, 1 failed (TestX)",
            ),
        ] {
            assert_eq!(test_result(text).as_deref(), Some(result), "{text}");
        }
        for text in [
            "all is well",
            "ok then",
            "3 passed the exam in 2020",
            "Tests are good",
            "# tests\n# pass",
        ] {
            assert_eq!(test_result(text), None, "{text}");
        }
    }
}
