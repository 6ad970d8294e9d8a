// Tests that replaced built-ins are reported by name, but only if strategy code replaced them.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { WarningList } from '../../../model/warning.ts';
import { isReadOnlyError } from '../builtIns/readOnlyErrors.ts';
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

describe('an error about an object that cannot change', () => {
  test.each([
    ["Cannot assign to read only property 'max' of object '#<Object>'", 'Math.max = own;'],
    ["Cannot assign to read only property 'Math' of object '#<Object>'", 'globalThis.Math = own;'],
    ['Cannot redefine property: Map', 'Object.defineProperty(target, name, { value: own });'],
    ['Cannot redefine property: Symbol(Symbol.iterator)', 'Object.defineProperty(target, Symbol.iterator, { value: own });'],
    ['Cannot add property subarray, object is not extensible', 'columns.subarray = own;'],
    ['Cannot add property seen, object is not extensible', 'Array.prototype.seen = 1;'],
    ["Cannot assign to read only property 'get' of object '#<Map>'", 'Map.prototype.get = own;'],
    ["Cannot assign to read only property 'push' of object '[object Array]'", "Array.prototype['push'] = own;"],
    ["Cannot assign to read only property 'from' of function 'function Array() { [native code] }'", 'lists.from = own;'],
    ["Cannot delete property 'max' of #<Object>", 'delete (Math as any).max;'],
    ['Cannot redefine property: max', "Object.defineProperty(Math, 'max', { value: own });"],
    ['Invalid property descriptor. Cannot both specify accessors and a value', '{ ...Array.prototype[Symbol.iterator] }'],
  ])('"%s" is about a built-in', (message, line) => {
    expect(isReadOnlyError(message, line)).toBe(true);
  });
  test.each([
    ['Cannot add property 0, object is not extensible', 'this.swings.push(bar);'],
    ['Cannot add property size, object is not extensible', 'this.position.size = 1;'],
    ["Cannot assign to read only property '0' of object '[object Array]'", 'LEVELS[0] = 1;'],
    ["Cannot assign to read only property 'length' of object '[object Array]'", 'LEVELS.length = 0;'],
    ["Cannot delete property '2' of [object Array]", 'LEVELS.pop();'],
    ["Cannot assign to read only property 'max' of object '#<Object>'", 'limits.max = Math.max(limits.max, 4);'],
    ["Cannot assign to read only property 'size' of object '#<Limits>'", 'limits.size = 4;'],
    ["Cannot assign to read only property 'get' of object '#<Map>'", 'frozenMap.get = 4;'],
    ["Cannot assign to read only property 'map' of object '[object Array]'", 'LEVELS.map = null;'],
    ["Cannot delete property 'max' of #<Object>", 'delete limits.max;'],
    ['Cannot redefine property: max', "Object.defineProperty(limits, 'max', { value: Math.max(3, 4) });"],
    ['Cannot add property push, object is not extensible', 'limits.push = 4;'],
    ['Cannot add property set, object is not extensible', 'limits.set = 4;'],
    ["Cannot assign to read only property 'slow' of object '#<Object>'", 'limits.slow = 4;'],
    ['Invalid property descriptor. Cannot both specify accessors and a value', 'Object.defineProperty(limits, name, { ...slow, value });'],
  ])('"%s" is about an object of the strategy', (message, line) => {
    expect(isReadOnlyError(message, line)).toBe(false);
  });
});

test('fixed built-ins keep their fast form, so that compiled code does not look up Math.round at every bar', () => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('builtIns.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const owners = '{ Math, Object, Reflect, Number, Array, JSON, map: Map.prototype, set: Set.prototype, list: Array.prototype }';
  const namesOfSlow = `Object.entries(${owners}).filter(([, owner]) => !%HasFastProperties(owner)).map(([name]) => name)`;
  const program = `${outputFiles[0]!.text}\nBuiltIns.makeReadOnly(() => false);\nBuiltIns.guard(() => {});\nprocess.stdout.write(JSON.stringify(${namesOfSlow}));`;
  expect(execFileSync(process.execPath, ['--allow-natives-syntax', '--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('[]');
});
