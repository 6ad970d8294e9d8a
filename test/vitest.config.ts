// Tests lie beside their sources, beside the strategies, and under test/; `isobar` resolves to the built package by its own exports.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LATE_OPTIMIZING } from './fixtures/nodeOptions.ts';
import { LongestFirst } from './longestFirst.ts';

/** Tests of speed. They come last, one file at a time: what runs beside them would blur the figures that they print. */
const TIMED = ['**/*{Latency,Speed}.test.ts', 'src/tasks/bot/process/monitoring.test.ts'];

/**
 * Tests that change or measure what all files of a process share: loaded modules, the clock, the environment, the mask of new files, what
 * is printed, the memory, sockets.
 */
const CHANGING = [
  'test/conformance/{scheduler,disk}.test.ts',
  'test/rest/{wire,exchangeSockets}.test.ts',
  'src/cli/data/command.test.ts',
  'src/adapters/catalog/bars/catalog.test.ts',
  // Holds a bot to a second: two of two runs beside other tests took longer where it shared a process, none of two where it had its own.
  'test/live/process.test.ts',
];
/** Tests that load or keep much, which would stay with their process: a compiler, years of bars, another exchange library. */
const LARGE = ['test/golden/real.test.ts', 'test/ccxt/*.test.ts', 'bench/**/*.test.ts'];
const OWN_PROCESS = [...CHANGING, ...LARGE];
/**
 * Tests of the built package, as its users run it: commands, pages, examples of the documents, whole projects. `npm run test:package` runs
 * them, and `npm test` all others. Half of the time of all tests is theirs.
 */
const PACKAGE = ['test/{e2e,docs,eight}/**/*.test.ts'];
/** Of these, what loads a compiler. */
const LARGE_PACKAGE = ['test/e2e/editors.test.ts'];
/** Tests that put another module in the place of a source. */
const MOCKING = ['test/simulation/*Guards.test.ts', 'src/tasks/backtest/streamed/streamedRun.test.ts'];

const ALL = ['src', 'strategies', 'test', 'bench', 'build'].map((folder) => `${folder}/**/*.test.ts`);
/** Code of others, and the copy of the checkout that `npm run test:tsc` makes. */
const NOT_OURS = ['**/node_modules/**', '.isobar-cache/**'];

/** Folder for locks and bans. Every process that a test starts inherits it, so tests leave nothing with the user who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'isobar-state-'));
process.env['XDG_STATE_HOME'] = STATE;
process.on('exit', () => rmSync(STATE, { recursive: true, force: true }));

/** A campaign runs for long, and on V8 as users have it; so do tests of speed. */
const execArgv = process.env['ISOBAR_CASES'] === undefined ? [...LATE_OPTIMIZING] : [];

/**
 * Node.js imports the sources, the tests and what they share, itself: a worker has them in a tenth of the time, the main process transforms
 * nothing, and they run as they are. Left to the test runner where it watches files, for it sees the changes of what it has loaded itself.
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
    // For what is stuck, not for what is slow: a machine may be busy with other work.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The built package is run as it is.
    server: { deps: { external: [/\/dist\//] } },
    // What is waited for comes at once on a machine that is free.
    expect: { poll: { timeout: 300_000 } },
    // Many tests wait for other processes, sockets and timers. With twice as many workers as cores those that hold a clock to a limit begin
    // to miss it, for a tenth of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    // A test that passes at a second attempt hides a race. Fix the race instead.
    retry: 0,
    projects: [
      { extends: true, test: { name: 'mocking', include: MOCKING, exclude: NOT_OURS, execArgv } },
      { extends: true, test: { name: 'alone', include: OWN_PROCESS, exclude: [...TIMED, ...NOT_OURS], execArgv, ...NATIVE } },
      // To load what a file tests takes longer than most of them run: a worker keeps it for the next file.
      {
        extends: true,
        test: {
          name: 'parts',
          include: ALL,
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
