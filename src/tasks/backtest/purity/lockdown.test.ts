// Tests that replaced built-ins are reported by name, but only if strategy code replaced them.

import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { WarningList } from '../../../model/warning.ts';
import { BuiltIns } from './lockdown.ts';

const require = createRequire(import.meta.url);

function warningsAfter(act: () => void): string[] {
  const builtIns = new BuiltIns();
  act();
  const warningList = new WarningList();
  builtIns.check(warningList, true);
  return warningList.all().map(({ text }) => text);
}

test('a second copy of reflect-metadata gives no warning', () => {
  const path = require.resolve('reflect-metadata');
  require(path);
  const firstCopy = Reflect.getOwnMetadataKeys;
  const warnings = warningsAfter(() => {
    Reflect.deleteProperty(require.cache, path);
    require(path);
  });
  expect(Reflect.getOwnMetadataKeys).not.toBe(firstCopy);
  expect(warnings).toEqual([]);
});

test('the warning about a replaced built-in names it', () => {
  const { ownKeys } = Reflect;
  try {
    expect(warningsAfter(() => (Reflect.ownKeys = (target) => ownKeys(target)))).toEqual([
      expect.stringContaining('the strategy replaces Reflect.ownKeys'),
    ]);
  } finally {
    Reflect.ownKeys = ownKeys;
  }
});
