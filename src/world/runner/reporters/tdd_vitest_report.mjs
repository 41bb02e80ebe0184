// Tells tdd what `vitest` did: one JSON object a line, into a file that is named here and nowhere
// else, so that the workers which run the tests do not know where it is.
//
// What was collected is told at once; results are told at the end, from the state that vitest itself
// ends with. An error that belongs to no test (a rejection that nobody handled, a worker that died)
// is told nowhere else.

import { openSync, writeSync } from 'node:fs';

const REPORT = '@REPORT@';
const CAP = 4000;

function raised(error) {
  const message = String(error?.message ?? error).slice(0, CAP);
  const timeout = /^(Test|Hook) timed out in \d/.test(message);
  const code = timeout ? 'testTimeoutFailure' : error?.code;
  // A snapshot that differs, or that nobody has recorded, is an expectation like any other.
  const snapshot = /^Snapshot `.*` mismatched/s.test(message);
  return {
    class: snapshot ? 'AssertionError' : String(error?.name ?? 'Error'),
    message,
    code: code === undefined || code === null ? null : String(code),
  };
}

// A recorded snapshot that nobody asked for: no wonder where a test failed before it could ask. By itself
// it is why vitest fails, so it stays then.
function isLeftOver(error, tests) {
  const failed = tests.some((test) => test.result().state === 'failed');
  return failed && /^Obsolete snapshots found/.test(String(error?.message ?? error));
}

// The suites around a test or a suite, outermost first, without the file itself.
function around(entity) {
  const above = [];
  for (let at = entity.parent; at && at.type === 'suite'; at = at.parent) above.unshift(at);
  return above;
}

function named(test) {
  return { file: test.module.moduleId, name: [...around(test), test].map((one) => one.name).join(' > ') };
}

export default class Report {
  constructor() {
    this.file = openSync(REPORT, 'wx');
    this.expected = new Set();
    this.tests = 0;
    this.say({ ev: 'start', v: 1 });
  }

  say(fields) {
    writeSync(this.file, JSON.stringify(fields) + '\n');
  }

  // A snapshot that nobody recorded is an expectation that nothing can fail: it is not recorded here.
  // The variable that says so changes what tests do, and a flag is there since vitest 4 alone.
  onInit(vitest) {
    const configs = [vitest.config, vitest.configOverride, ...(vitest.projects ?? []).map((one) => one.config)];
    const options = [vitest.snapshot?.options, ...configs.map((config) => config?.snapshotOptions)];
    for (const one of options) if (one) one.updateSnapshot = 'none';
  }

  onTestRunStart(specifications) {
    for (const specification of specifications) this.expected.add(specification.moduleId);
  }

  onTestModuleCollected(module) {
    this.say({ ev: 'collected', tests: [...module.children.allTests()].map(named) });
  }

  onTestRunEnd(modules, unhandled, reason) {
    for (const module of modules) {
      this.expected.delete(module.moduleId);
      this.module(module);
    }
    for (const file of this.expected) {
      this.say({ ev: 'stray', errors: [{ class: 'Error', message: `no result for the file ${file}` }] });
    }
    if (unhandled.length > 0) this.say({ ev: 'stray', errors: unhandled.slice(0, 20).map(raised) });
    this.say({ ev: 'end', status: reason === 'passed' ? 0 : 1, tests: this.tests });
  }

  module(module) {
    const tests = [...module.children.allTests()];
    // Errors of hooks, by the file or suite that they belong to; those that no test showed stay.
    const silent = new Map();
    for (const owner of [module, ...module.children.allSuites()]) {
      const errors = owner.errors().filter((error) => !isLeftOver(error, tests));
      if (errors.length > 0) silent.set(owner, errors);
    }
    for (const test of tests) this.test(test, silent);
    for (const errors of silent.values()) {
      this.say({ ev: 'load', file: module.moduleId, errors: errors.map(raised) });
    }
    if (tests.length === 0 && silent.size === 0 && module.state() !== 'skipped') {
      this.say({ ev: 'load', file: module.moduleId, ended: 'quietly' });
    }
  }

  test(test, silent) {
    const { state, errors } = test.result();
    // Without a result the file's process ended before this test did: tdd sees that it is missing.
    if (state === 'pending') return;
    let outcome = { passed: 'pass', failed: 'fail' }[state] ?? 'skip';
    let told = outcome === 'fail' ? (errors ?? []).map(raised) : [];
    let phase = 'call';
    // Its word is turned round, so it says nothing about the code.
    if (outcome === 'pass' && test.options.fails) outcome = 'skip';
    if (state === 'skipped' && test.options.mode === 'run') {
      for (const owner of [test.module, ...around(test)]) {
        const broken = silent.get(owner) ?? owner.errors();
        if (broken.length === 0) continue;
        [outcome, told, phase] = ['fail', broken.map(raised), 'setup'];
        silent.delete(owner);
        break;
      }
    }
    this.tests += 1;
    const ms = test.diagnostic()?.duration ?? 0;
    this.say({ ev: 'test', ...named(test), outcome, phase, ms, errors: told });
  }
}
