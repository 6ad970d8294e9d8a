// Which tests the legs of CI run beside the suite: those whose results depend on the build or on Node.

/** The short form, in `.ci/run`. The full form is `npm run test:tsc` and `npm run test:node24`. */
export const SHORT = [
  // Results of the engine: golden figures, any size of blocks, the same hash on each Node.
  'test/golden/golden.test.ts',
  'test/golden/shippedStrategies.test.ts',
  'test/simulation/blockSize.test.ts',
  'test/e2e/determinism.test.ts',
  // The command from a start to a report, and the package from code.
  'test/e2e/backtestCommand.test.ts',
  'test/e2e/runFromCode.test.ts',
  // A live bot over HTTP beside its backtest, and the journal.
  'test/e2e/parity.test.ts',
  'test/e2e/journal.test.ts',
  // Stack traces.
  'test/e2e/debug.test.ts',
];

/** Tests of the bundle itself, which the compiler alone does not make: its files, the number of files that a start reads, its packages. */
export const OF_BUNDLE = ['build/build.test.ts', 'test/e2e/filesAtStart.test.ts', 'test/live/packages.test.ts'];
