// Runs the tests of python/ if python3 and pyarrow are installed.

import { expect, test } from 'vitest';
import { runPython } from '../fixtures/python.ts';

const SCRIPT = `
import sys, unittest
result = unittest.TextTestRunner(stream=sys.stderr).run(unittest.defaultTestLoader.discover('python/tests'))
if not result.wasSuccessful(): sys.exit(1)
print(result.testsRun)`;

test('the Python package reads runs and bars that isobar wrote', { timeout: 120_000 }, (context) => {
  const lines = runPython(['pyarrow'], SCRIPT);
  if (lines === null) context.skip();
  else expect(Number(lines[0])).toBeGreaterThan(0);
});
