// Tells tdd what `vitest` did: one JSON object a line, into a file that is named here and nowhere
// else, so that the workers which run the tests do not know where it is.
//
// What was collected is told at once; results are told at the end, from the state that vitest itself
// ends with, in the order in which each file declares its tests. An error that belongs to no test (a
// rejection that nobody handled, a worker that died) is told nowhere else. One file may run in several
// projects, and for its types besides: each is a pass, and its results say of which they are.
//
// Up to version 2 reporters are given vitest's own tasks, which are dressed here as what later ones give.

import { openSync, writeSync } from 'node:fs';
import { inspect } from 'node:util';

const REPORT = '@REPORT@';
const CAP = 4000;

// What a test throws may be anything: an object without a prototype has no text of its own.
function text(value) {
  return typeof value === 'object' && value !== null ? inspect(value, { depth: 1 }) : String(value);
}

function raised(error) {
  const message = text(error?.message ?? error).slice(0, CAP);
  const timeout = /^(Test|Hook) timed out in \d/.test(message);
  const code = timeout ? 'testTimeoutFailure' : error?.code;
  // A snapshot that differs, or that nobody has recorded, is an expectation like any other.
  const snapshot = /^Snapshot `.*` mismatched/s.test(message);
  return {
    class: snapshot ? 'AssertionError' : text(error?.name ?? 'Error'),
    message,
    code: code === undefined || code === null ? null : text(code),
  };
}

// A recorded snapshot that nobody asked for: no wonder where a test failed before it could ask. By itself
// it is why vitest fails, so it stays then.
function isLeftOver(error, tests) {
  const failed = tests.some((test) => test.result().state === 'failed');
  return failed && /^Obsolete snapshots found/.test(text(error?.message ?? error));
}

// What the type checker (`--typecheck`) has against a file whose tests fail, or which does not load, when they run: it says
// once more what is missing. Where they pass it is why vitest fails, so it stays.
function isOfFailed(error, modules) {
  const file = error?.type === 'Unhandled Source Error' ? error.stacks?.[0]?.file : undefined;
  const fails = (module) =>
    module.errors().length > 0 || [...module.children.allTests()].some((test) => test.result().state === 'failed');
  return file !== undefined && modules.some((module) => module.moduleId === file && fails(module));
}

// The suites around a test or a suite, outermost first, without the file itself.
function around(entity) {
  const above = [];
  for (let at = entity.parent; at && at.type === 'suite'; at = at.parent) above.unshift(at);
  return above;
}

function isOfTypes(module) {
  return module.meta?.()?.typecheck ?? module.task?.meta?.typecheck ?? false;
}

// Which pass over its file this is.
function pass(module) {
  return `${module.project?.name ?? ''}${isOfTypes(module) ? ' types' : ''}`;
}

function key(module) {
  return `${module.moduleId}\n${pass(module)}`;
}

// A task of version 1 or 2; always the same object for the same task.
class Old {
  static dressed = new WeakMap();

  static of(task, module) {
    const known = Old.dressed.get(task) ?? new Old(task, module);
    Old.dressed.set(task, known);
    return known;
  }

  constructor(task, module) {
    this.task = task;
    this.module = module ?? this;
    this.project = { name: this.module.task.projectName ?? '' };
    this.moduleId = this.module.task.filepath;
    this.type = task === this.module.task ? 'module' : task.type === 'suite' ? 'suite' : 'test';
    this.name = task.name;
  }

  // What a hook above kept from running is marked as skipped.
  get options() {
    const { mode, result, fails } = this.task;
    return { mode: result?.state === 'skip' && this.isBelowBroken() ? 'run' : mode, fails };
  }

  isBelowBroken() {
    return [this.module, ...around(this)].some((owner) => owner.errors().length > 0);
  }

  get parent() {
    const above = this.task.suite ?? this.module.task;
    // Version 1 has a suite without a name for what is in none.
    const isModule = above === this.module.task || (above.name === '' && above.suite === undefined);
    return isModule ? this.module : Old.of(above, this.module);
  }

  get children() {
    const below = function* (tasks) {
      for (const task of tasks) {
        yield task;
        if (task.type === 'suite') yield* below(task.tasks);
      }
    };
    const all = () => [...below(this.task.tasks)].map((task) => Old.of(task, this.module));
    return {
      allTests: () => all().filter((one) => one.type === 'test'),
      allSuites: () => all().filter((one) => one.type === 'suite'),
    };
  }

  errors() {
    return this.task.result?.errors ?? [];
  }

  state() {
    return this.task.mode === 'run' ? 'finished' : 'skipped';
  }

  diagnostic() {
    return this.task.result;
  }

  result() {
    const { mode, result } = this.task;
    const state = { pass: 'passed', fail: 'failed', skip: 'skipped', todo: 'skipped' }[result?.state ?? mode];
    if (state !== undefined) return { state, errors: result?.errors };
    return { state: this.isBelowBroken() ? 'skipped' : 'pending' };
  }
}

function named(test) {
  return { file: test.module.moduleId, name: [...around(test), test].map((one) => one.name).join(' > ') };
}

// What vitest itself loads before any test: its configuration with what that imports, and what sets tests up.
function loaded(vitest) {
  const files = new Set();
  const add = (...named) => {
    for (const one of named.flat()) if (typeof one === 'string') files.add(one);
  };
  for (const project of [vitest, ...(vitest?.projects ?? [])]) {
    const vite = (project?.vite ?? project?.server)?.config;
    add(vite?.configFile, vite?.configFileDependencies ?? []);
    const own = project?.config;
    add(own?.setupFiles ?? [], own?.globalSetup ?? [], own?.snapshotSerializers ?? []);
    add(own?.environment, own?.runner, own?.diff, own?.snapshotEnvironment);
  }
  return [...files].sort();
}

export default class Report {
  constructor() {
    this.file = openSync(REPORT, 'wx');
    this.expected = new Set();
    this.collected = new Set();
    this.tests = 0;
    this.say({ ev: 'start', v: 1 });
  }

  say(fields) {
    writeSync(this.file, JSON.stringify(fields) + '\n');
  }

  // A snapshot that nobody recorded is an expectation that nothing can fail: it is not recorded here.
  // The variable that says so changes what tests do, and a flag is there since vitest 4 alone.
  onInit(vitest) {
    this.vitest = vitest;
    const configs = [vitest.config, vitest.configOverride, ...(vitest.projects ?? []).map((one) => one.config)];
    const options = [vitest.snapshot?.options, ...configs.map((config) => config?.snapshotOptions)];
    for (const one of options) if (one) one.updateSnapshot = 'none';
    this.old = !(Number.parseInt(vitest.version, 10) >= 3);
  }

  onPathsCollected(paths = []) {
    if (this.old) for (const path of paths) this.expected.add(path);
  }

  onCollected(files = []) {
    if (this.old) for (const file of files) this.onTestModuleCollected(Old.of(file));
  }

  onFinished(files = [], unhandled = []) {
    if (this.old) this.onTestRunEnd(files.map((file) => Old.of(file)), unhandled);
  }

  onTestRunStart(specifications) {
    for (const specification of specifications) this.expected.add(specification.moduleId);
  }

  onTestModuleCollected(module) {
    this.collected.add(key(module));
    this.say({ ev: 'collected', tests: [...module.children.allTests()].map(named) });
  }

  onTestRunEnd(modules, unhandled, reason) {
    // Modules come as they ended. Of a pass over types version 2 does not say that it was collected.
    const sorted = [...modules].sort((one, other) => (key(one) < key(other) ? -1 : 1));
    for (const module of sorted) {
      this.expected.delete(module.moduleId);
      if (!this.collected.has(key(module))) this.onTestModuleCollected(module);
      this.module(module);
    }
    for (const file of this.expected) {
      this.say({ ev: 'stray', errors: [{ class: 'Error', message: `no result for the file ${file}` }] });
    }
    const stray = unhandled.filter((error) => !isOfFailed(error, sorted));
    if (stray.length > 0) this.say({ ev: 'stray', errors: stray.slice(0, 20).map(raised) });
    this.say({ ev: 'loaded', files: loaded(this.vitest) });
    const own = modules.reduce((sum, module) => sum + [...module.children.allTests()].length, 0);
    this.say({ ev: 'end', status: reason === 'passed' ? 0 : 1, tests: this.tests, own });
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
    const unreached = state === 'skipped' && test.options.mode === 'run';
    // A type error beside all tests (in an import, say) is the file's alone, and its tests are told as
    // passed: nothing is known of what they look at.
    const unchecked = outcome === 'pass' && isOfTypes(test.module);
    if (unreached || unchecked) {
      for (const owner of unreached ? [test.module, ...around(test)] : [test.module]) {
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
