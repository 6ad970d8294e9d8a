// Configures vitest: which tests share a process, which run alone, and which test the built package. The files of tests are
// next to their sources, next to the strategies, and under test/. An import of `isobar` resolves to the built package.

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LATE_OPTIMIZING } from './fixtures/nodeOptions.ts';
import { LongestFirst } from './longestFirst.ts';

/** Tests of speed. They run last, one file at a time, because other tests would distort the figures that they print. */
const TIMED = ['**/*{Latency,Speed}.test.ts', 'src/tasks/bot/process/monitoring.test.ts'];

/**
 * Tests that change or measure state that all files of a process share: loaded modules, the clock, the environment, the umask, the printed
 * output, memory, sockets.
 */
const CHANGING = [
  'test/conformance/{scheduler,disk}.test.ts',
  'test/rest/{wire,exchangeSockets}.test.ts',
  'src/cli/data/command.test.ts',
  'src/adapters/catalog/bars/catalog.test.ts',
  // A bot must act within one second. In a shared process it took longer in two of two runs, in its own process in none of two.
  'test/live/process.test.ts',
];
/** Tests that load much memory, which their process would keep: a compiler, years of bars, another exchange library. */
const LARGE = ['test/golden/real.test.ts', 'test/ccxt/*.test.ts', 'bench/**/*.test.ts'];
const OWN_PROCESS = [...CHANGING, ...LARGE];
/**
 * Tests of the built package, as its users run it: commands, pages, examples of the documents, whole projects. `npm run test:package` runs
 * them, and `npm test` runs all others. They take half of the time of all tests.
 */
const PACKAGE = ['test/{e2e,docs,eight}/**/*.test.ts'];
/** Tests of the built package that load a compiler. */
const LARGE_PACKAGE = ['test/e2e/editors.test.ts'];
/** Tests that replace a source module by another one. */
const MOCKING = ['test/simulation/*Guards.test.ts', 'src/tasks/backtest/streamed/streamedRun.test.ts'];

const TEST_FILES = ['src', 'strategies', 'test', 'bench', 'build'].map((folder) => `${folder}/**/*.test.ts`);
/** Installed packages, and the copy of the checkout that `npm run test:tsc` makes. */
const NOT_OURS = ['**/node_modules/**', '.isobar-cache/**'];

/** Folder for locks and bans. Every process that a test starts inherits it, so tests leave no files in the user's own folder. */
const STATE_FOLDER = mkdtempSync(join(tmpdir(), 'isobar-state-'));
process.env['XDG_STATE_HOME'] = STATE_FOLDER;
process.on('exit', () => rmSync(STATE_FOLDER, { recursive: true, force: true }));

/** Campaigns run for long, so they use the optimizing compiler as users do. Tests of speed do, too. */
const execArgv = process.env['ISOBAR_CASES'] === undefined ? [...LATE_OPTIMIZING] : [];

/**
 * Lets Node.js import sources and tests itself: a worker loads them in a tenth of the time, and they run without a transform. In watch mode
 * the test runner loads them, because it only notices changes of files that it has loaded.
 */
const NATIVE = process.argv.includes('run')
  ? {
      setupFiles: [fileURLToPath(new URL('./native/register.mjs', import.meta.url))],
      experimental: { viteModuleRunner: false, nodeLoader: false },
    }
  : {};

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // The limit is for stuck tests, not for slow ones: the machine may be busy with other work.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The built package runs without a transform.
    server: { deps: { external: [/\/dist\//] } },
    // On an idle machine a polled condition becomes true at once. The limit is for busy ones.
    expect: { poll: { timeout: 300_000 } },
    // Many tests wait for other processes, sockets and timers. Twice as many workers as cores save another tenth of the time, but then tests
    // with a time limit begin to miss it.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    // A test that passes at a second attempt hides a race. Fix the race instead.
    retry: 0,
    projects: [
      { extends: true, test: { name: 'mocking', include: MOCKING, exclude: NOT_OURS, execArgv } },
      { extends: true, test: { name: 'alone', include: OWN_PROCESS, exclude: [...TIMED, ...NOT_OURS], execArgv, ...NATIVE } },
      // Loading the sources takes longer than most files run, so a worker keeps them for the next file.
      {
        extends: true,
        test: {
          name: 'parts',
          include: TEST_FILES,
          exclude: [...OWN_PROCESS, ...MOCKING, ...TIMED, ...PACKAGE, ...NOT_OURS],
          isolate: false,
          execArgv,
          ...NATIVE,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: PACKAGE,
          exclude: [...LARGE_PACKAGE, ...TIMED, ...NOT_OURS],
          isolate: false,
          execArgv,
          ...NATIVE,
        },
      },
      { extends: true, test: { name: 'package-alone', include: LARGE_PACKAGE, exclude: NOT_OURS, execArgv, ...NATIVE } },
      { extends: true, test: { name: 'timed', include: TIMED, exclude: NOT_OURS, maxWorkers: 1, sequence: { groupOrder: 1 }, ...NATIVE } },
    ],
    reporters: process.env['CI'] ? ['default', new URL('./countReporter.ts', import.meta.url).pathname] : ['default'],
  },
});
