// Tests that replaced built-ins are reported by name, but only if strategy code replaced them.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { WarningList } from '../../../model/warning.ts';
import { BuiltIns } from './builtIns.ts';

const require = createRequire(import.meta.url);

/** Returns the texts of the warnings about built-ins that `act` replaces. */
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

test('fixed built-ins keep their fast form, so that compiled code does not look up Math.round at every bar', () => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('builtIns.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const owners = '{ Math, Object, Reflect, Number, Array, JSON, map: Map.prototype, list: Array.prototype }';
  const namesOfSlow = `Object.entries(${owners}).filter(([, owner]) => !%HasFastProperties(owner)).map(([name]) => name)`;
  const program = `${outputFiles[0]!.text}\nBuiltIns.makeReadOnly();\nprocess.stdout.write(JSON.stringify(${namesOfSlow}));`;
  expect(execFileSync(process.execPath, ['--allow-natives-syntax', '--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('[]');
});
