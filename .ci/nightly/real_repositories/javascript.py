"""Repositories in JavaScript and TypeScript."""

from .repository import Cheats, Edit, Repository
from .sources import Debian, Npm

NPM = "npm install --ignore-scripts --no-audit --no-fund --loglevel=error"
# The package as published has sources and tests, and leaves its configuration of vitest behind.
ZOD_VITEST = """import { defineConfig } from "vitest/config";
import { fileURLToPath } from "node:url";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

// A part of the suite: all of it takes minutes to check.
const FILES = ["src/v4/classic/tests/{ac_,array,assignability,enum,literal,map,number,partial,tuple}*.test.ts"];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^zod\\/v4\\/core$/, replacement: source("v4/core/index.ts") },
      { find: /^zod\\/v4$/, replacement: source("v4/index.ts") },
      { find: /^zod\\/v3$/, replacement: source("v3/index.ts") },
      { find: /^zod\\/mini$/, replacement: source("mini/index.ts") },
      { find: /^zod\\/locales$/, replacement: source("locales/index.ts") },
      { find: /^zod$/, replacement: source("index.ts") },
    ],
  },
  test: {
    include: FILES,
    typecheck: { enabled: true, include: FILES, ignoreSourceErrors: true },
    watch: false,
  },
});
"""
ZOD_TSCONFIG = """{
  "compilerOptions": {
    "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": true, "noEmit": true,
    "skipLibCheck": true, "customConditions": ["@zod/source"], "types": ["node"], "allowImportingTsExtensions": true
  },
  "include": ["src/v4/classic/tests/ac_*", "src/v4/classic/tests/array*", "src/v4/classic/tests/number*"]
}
"""
ZOD_PACKAGES = "vitest@3.2.4 typescript@5.9.3 @types/node@22.18.0 @web-std/file@3.0.3 @seriousme/openapi-schema-validator@2.4.1 recheck@4.5.0"

REPOSITORIES = (
    Repository(
        name="express",
        language="javascript",
        stands_for="a mocha suite, with namesakes",
        sources=(("", Debian("node-express")),),
        install=(NPM,),
        runner="mocha",
        flavour="mocha",
        proposed=True,
        plain="npx mocha --require test/support/env --reporter dot --check-leaks test/ test/acceptance/",
        # Two of its tests are red with a Node that is newer than they are.
        options=("--allow-red-gate",),
        baselines=2,
        code="lib/utils.js",
        tests="test/ac_real_1_{n}.js",
        imports="const {{ {name} }} = require('../lib/utils');",
        cheats=Cheats(
            weaken=Edit("test/utils.js", "assert.strictEqual(utils.setCharset(), undefined);", ""),
            delete="test/exports.js",
            breaks=Edit("lib/utils.js", "if ('/' === path[0]) return true;", ""),
        ),
    ),
    Repository(
        name="commander",
        language="javascript",
        stands_for="jest, its script a list with a type check, with namesakes",
        sources=(("", Debian("node-commander")),),
        install=(NPM,),
        runner="jest",
        plain="npx jest",
        code="lib/error.js",
        tests="tests/ac_real_1_{n}.test.js",
        imports="const {{ {name} }} = require('../lib/error');",
        cheats=Cheats(
            weaken=Edit("tests/command.chain.test.js", "expect(result).toBe(program);", "expect(result).toBeDefined();"),
            delete="tests/command.chain.test.js",
            breaks=Edit("lib/error.js", "this.exitCode = exitCode;", "this.exitCode = 0;"),
        ),
        fault=Edit("lib/error.js", "this.exitCode = exitCode;", "this.exitCode = 0;"),
    ),
    Repository(
        name="zod",
        language="javascript",
        stands_for="vitest with type checks, in TypeScript",
        sources=(("", Npm("zod", "4.1.12")),),
        files={"vitest.config.ts": ZOD_VITEST, "tsconfig.json": ZOD_TSCONFIG},
        install=(f"{NPM} --no-save {ZOD_PACKAGES}",),
        runner="vitest",
        plain="npx vitest run",
        test="npx vitest run",
        code="src/v4/core/util.ts",
        tests="src/v4/classic/tests/ac_real_1_{n}.test.ts",
        imports="import {{ {name} }} from '../../core/util.js';",
    ),
    Repository(
        name="qs",
        language="javascript",
        stands_for="a tape suite, read as TAP",
        sources=(("", Npm("qs", "6.13.0")),),
        # Among what its authors develop it with are packages that no registry has.
        install=("npm pkg delete devDependencies scripts.pretest scripts.posttest", f"{NPM} --no-save tape@5.9.0 nyc@10.3.2 es-value-fixtures@1.4.2 for-each@0.3.3 "
                 "has-override-mistake@1.0.1 has-property-descriptors@1.0.2 has-symbols@1.0.3 iconv-lite@0.5.1 "
                 "mock-property@1.0.3 object-inspect@1.13.2 qs-iconv@1.0.4 safer-buffer@2.1.2",),
        runner="tap",
        flavour="tape",
        plain="npx tape 'test/**/*.js'",
        proposed=True,
        code="lib/utils.js",
        tests="test/ac_real_1_{n}.js",
        imports="var {name} = require('../lib/utils').{name};",
    ),
    Repository(
        name="light-my-request",
        language="javascript",
        stands_for="tap 18, whose script is a list",
        sources=(("", Npm("light-my-request", "6.3.0")),),
        install=(NPM,),
        runner="tap",
        flavour="tap",
        proposed=True,
        plain="npx tap --disable-coverage --reporter=tap",
        code="lib/parse-url.js",
        tests="test/ac_real_1_{n}.test.js",
        # tap counts assertions, and a test here is what they stand in.
        count_differs=-270,
        baselines=3,
        # One of its own tests fails with this node.
        options=("--allow-red-gate",),
        imports="const {{ {name} }} = require('../lib/parse-url');",
    ),
)
