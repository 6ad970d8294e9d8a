// Replaced built-ins are reported by name, but only if strategy code replaced them.

import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { WarningList } from '../../../model/warning.ts';
import { BuiltIns } from './lockdown.ts';

const require = createRequire(import.meta.url);

function reportedAfter(act: () => void): string[] {
  const builtIns = new BuiltIns();
  act();
  const warnings = new WarningList();
  builtIns.check(warnings, true);
  return warnings.all().map(({ text }) => text);
}

test('a further copy of reflect-metadata replaces its own functions alone', () => {
  const path = require.resolve('reflect-metadata');
  require(path);
  const first = Reflect.getOwnMetadataKeys;
  const reported = reportedAfter(() => {
    Reflect.deleteProperty(require.cache, path);
    require(path);
  });
  expect(Reflect.getOwnMetadataKeys).not.toBe(first);
  expect(reported).toEqual([]);
});

test('a replaced built-in is named', () => {
  const { ownKeys } = Reflect;
  try {
    expect(reportedAfter(() => (Reflect.ownKeys = (of) => ownKeys(of)))).toEqual([
      expect.stringContaining('the strategy replaces Reflect.ownKeys'),
    ]);
  } finally {
    Reflect.ownKeys = ownKeys;
  }
});
