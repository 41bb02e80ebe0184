// Tells tdd what `node --test` did: one JSON object a line, into a file of its own.
//
// node runs each test file in a process of its own and sends events here, so what a test prints
// can't reach this file. A file whose process dies has no error object: what it printed on its
// standard error is told instead. node counts the entries of files among its tests, and no suites; both
// are told here, a suite only if it failed by itself.

import { resolve } from 'node:path';
import { inspect } from 'node:util';

const CAP = 16 * 1024;

function line(fields) {
  return JSON.stringify(fields) + '\n';
}

// What a test throws may be anything: an object without a prototype has no text of its own.
function text(value) {
  return typeof value === 'object' && value !== null ? inspect(value, { depth: 1 }) : String(value);
}

function raised(error) {
  if (error === undefined || error === null) return [];
  const cause = error.cause ?? error;
  const kind = error.failureType;
  if (cause === null || typeof cause !== 'object' || cause.message === undefined) {
    // So comes an error, too, that holds what can't be sent from one process to another: as it is printed.
    const said = text(cause);
    const head = /^([A-Za-z_$][\w$.]*(?:Error|Exception))(?: \[([A-Z_]+)\])?: /.exec(said);
    const code = kind === 'testTimeoutFailure' ? kind : head?.[2] ?? kind ?? null;
    return [{ class: head?.[1] ?? 'Error', message: said.slice(head?.[0].length ?? 0).slice(0, 2000), code }];
  }
  const code = kind === 'testTimeoutFailure' ? kind : cause.code;
  return [{
    class: text(cause.name ?? 'Error'),
    message: text(cause.message).slice(0, 2000),
    code: code === undefined || code === null ? null : text(code),
  }];
}

// The entry that stands for a whole file: named by its path, absolute or relative.
function standsForFile(data) {
  if (data.nesting !== 0 || typeof data.file !== 'string' || typeof data.name !== 'string') return false;
  return resolve(data.name) === data.file || (data.name.includes('/') && data.file.endsWith('/' + data.name));
}

export default async function* report(source) {
  const printed = new Map();
  const titles = new Map();
  let tests = 0;
  let counted = null;
  let uncounted = 0;
  yield line({ ev: 'start', v: 1 });
  for await (const { type, data } of source) {
    const file = typeof data?.file === 'string' ? data.file : null;
    if (type === 'test:stderr' && file !== null) {
      // From node 22 on the file is told here as it was named, and everywhere else as an absolute path.
      const whose = resolve(file);
      const before = printed.get(whose) ?? '';
      if (before.length < CAP) printed.set(whose, (before + data.message).slice(0, CAP));
    } else if (type === 'test:start') {
      const open = titles.get(file) ?? [];
      open.length = Math.min(open.length, data.nesting);
      open[data.nesting] = data.name;
      titles.set(file, open);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const failed = type === 'test:fail';
      const error = data.details?.error;
      if (standsForFile(data)) {
        uncounted -= 1;
        // Passed: a file that holds no tests, or that left before it ran any. Failed: it died.
        yield line({
          ev: 'load',
          file: data.file,
          skipped: false,
          ended: failed ? String(error?.signal ?? error?.exitCode ?? '') : 'quietly',
          errors: raised(error),
          output: printed.get(resolve(file)) ?? '',
        });
        continue;
      }
      if (data.details?.type === 'suite' && !failed) continue;
      if (data.details?.type === 'suite' && error?.failureType === 'subtestsFailed') continue;
      if (data.details?.type === 'suite') uncounted += 1;
      const above = (titles.get(file) ?? []).slice(0, data.nesting);
      const counts = data.skip === undefined && data.todo === undefined;
      tests += 1;
      yield line({
        ev: 'test',
        file,
        name: [...above, data.name].join(' > '),
        outcome: counts ? (failed ? 'fail' : 'pass') : 'skip',
        phase: '',
        ms: data.details?.duration_ms ?? 0,
        errors: counts && failed ? raised(error) : [],
      });
    } else if (type === 'test:diagnostic' && data.nesting === 0 && file === null) {
      // The last words of the whole run; what a test says of itself has its file.
      const said = /^tests (\d+)$/.exec(data.message);
      if (said !== null) counted = Number(said[1]);
    }
  }
  const own = counted === null ? null : counted + uncounted;
  yield line({ ev: 'end', status: 0, tests, own });
}
