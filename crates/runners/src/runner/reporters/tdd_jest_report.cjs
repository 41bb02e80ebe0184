// Tells tdd what `jest` did: one JSON object a line, into a file that is named here and nowhere
// else, so that the tests do not know where it is.
//
// jest gives errors as texts, and as values only where they survive the way from a worker; both are
// looked at. A file that could not be loaded has an error of its own and no tests. Files end in any order,
// and one file may run in several projects; all is told at the end, so that its order is always the same.

'use strict';

const fs = require('node:fs');
const { inspect } = require('node:util');

const REPORT = '@REPORT@';
const CAP = 4000;
const COLOURS = /\u001b\[[0-9;]*m/g;

// What a test throws may be anything: an object without a prototype has no text of its own.
function inWords(value) {
  return typeof value === 'object' && value !== null ? inspect(value, { depth: 1 }) : String(value);
}

function plain(value) {
  return inWords(value).replace(COLOURS, '').trim();
}

function raised(text, value) {
  const said = plain(text ?? value?.stack ?? value?.message ?? 'jest gave no reason');
  const head = /^([A-Za-z_$][\w$.]*(?:Error|Exception))(?: \[([A-Z_]+)\])?: /.exec(said);
  const own = value !== null && typeof value === 'object' ? value : {};
  const words = typeof own.message === 'string' && own.message !== '' ? plain(own.message) : null;
  const message = words ?? (head === null ? said : said.slice(head[0].length));
  const expectation = own.matcherResult !== undefined || /^(Error: )?expect\(/.test(said);
  const timeout = /^(thrown: "?|Error: )?Exceeded timeout of \d/.test(said) || /^Exceeded timeout of \d/.test(message);
  let name = head?.[1] ?? (typeof own.name === 'string' ? own.name : 'Error');
  if (expectation) name = 'AssertionError';
  const code = timeout ? 'testTimeoutFailure' : own.code ?? head?.[2];
  return { class: name, message: message.slice(0, CAP), code: code === undefined || code === null ? null : inWords(code) };
}

// What jest itself loads before any test: what sets tests up, runs them and finds their modules.
function loaded(whole, contexts) {
  const files = new Set();
  const add = (...named) => {
    // Some are named with their options.
    for (const one of named.flat(2)) if (typeof one === 'string') files.add(one);
  };
  for (const own of [whole, ...[...contexts].map((one) => one.config)]) {
    add(own?.setupFiles ?? [], own?.setupFilesAfterEnv ?? [], own?.snapshotSerializers ?? []);
    add(own?.globalSetup, own?.globalTeardown, own?.testEnvironment, own?.runner, own?.testRunner);
    add(own?.resolver, own?.snapshotResolver, own?.dependencyExtractor, own?.testSequencer, own?.filter);
    for (const [, file] of own?.transform ?? []) add(file);
  }
  return [...files].sort();
}

module.exports = class Report {
  constructor(whole) {
    this.whole = whole;
    this.file = fs.openSync(REPORT, 'wx');
    this.tests = 0;
    this.ended = [];
    this.say({ ev: 'start', v: 1 });
  }

  say(fields) {
    fs.writeSync(this.file, JSON.stringify(fields) + '\n');
  }

  stray(message) {
    this.say({ ev: 'stray', errors: [{ class: 'Error', message }] });
  }

  onTestFileResult(test, result) {
    const { config } = test.context;
    const project = `${config.displayName?.name ?? ''} ${config.rootDir} ${config.id ?? config.name ?? ''}`;
    this.ended.push({ key: `${test.path}\n${project}`, test, result });
  }

  tell({ test, result }) {
    const failed = result.testExecError ?? null;
    if (failed !== null) {
      this.say({ ev: 'load', file: test.path, errors: [raised(failed.stack ?? failed.message, failed)] });
    } else if (result.skipped === true) {
      this.say({ ev: 'load', file: test.path, skipped: true });
    }
    for (const one of result.testResults) this.test(test.path, one);
  }

  test(file, one) {
    let outcome = { passed: 'pass', failed: 'fail' }[one.status] ?? 'skip';
    // Its word is turned round, so it says nothing about the code.
    if (outcome === 'pass' && one.failing === true) outcome = 'skip';
    const told = outcome === 'fail' ? one.failureMessages.map((text, at) => raised(text, one.failureDetails?.[at])) : [];
    const name = [...one.ancestorTitles, one.title].join(' > ');
    this.tests += 1;
    this.say({ ev: 'test', file, name, outcome, phase: '', ms: one.duration ?? 0, errors: told });
  }

  onRunComplete(contexts, results) {
    const { numTotalTestSuites: wanted, testResults, numTotalTests: own } = results;
    for (const one of this.ended.sort((one, other) => (one.key < other.key ? -1 : 1))) this.tell(one);
    if (testResults.length !== wanted) this.stray(`jest ran ${testResults.length} of ${wanted} files`);
    if (results.runExecError) this.stray(plain(results.runExecError.message ?? results.runExecError));
    if (results.wasInterrupted) this.stray('jest was interrupted');
    this.say({ ev: 'loaded', files: loaded(this.whole, contexts) });
    this.say({ ev: 'end', status: results.success ? 0 : 1, tests: this.tests, own });
  }
};
