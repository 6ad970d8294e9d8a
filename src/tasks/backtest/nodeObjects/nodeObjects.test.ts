// Tests that state in objects of Node is found by its path, and that a loaded package or the same value, set again, does not count as state.

import { EventEmitter } from 'node:events';
import { Stats } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { NodeObjects } from './nodeObjects.ts';

const require = createRequire(import.meta.url);

/** Keeps its first close when that is first read, as `fs.Stats` does with its times. */
class PricesOfTest {
  get close(): number {
    Object.defineProperty(this, 'close', { value: 1 });
    return 1;
  }
  set close(value: number) {
    Object.defineProperty(this, 'close', { value });
  }
}

/** Returns the first change of Node's objects that `act` makes. `undo` puts it back. */
function changeBy(modules: readonly string[], act: () => void, undo: () => void): string | null {
  const nodeObjects = new NodeObjects(modules);
  act();
  try {
    return nodeObjects.firstChange();
  } finally {
    undo();
  }
}

test.each([
  ['a number behind a getter', 'events', () => (EventEmitter.defaultMaxListeners += 1), () => (EventEmitter.defaultMaxListeners -= 1), 'node:events.defaultMaxListeners'],
  ['a size', 'buffer', () => (Buffer.poolSize += 1), () => (Buffer.poolSize -= 1), 'node:buffer.Buffer.poolSize'],
  ['an option of a function', 'util', () => (inspect.defaultOptions = { depth: 77 }), () => (inspect.defaultOptions = { depth: 2 }), 'node:util.inspect.defaultOptions.depth'],
  ['a limit of an agent', 'http', () => (http.globalAgent.maxSockets = 7), () => (http.globalAgent.maxSockets = Infinity), 'node:http.globalAgent.maxSockets'],
  ['an entry of the cache', 'module', () => Reflect.set(require.cache, 'own', { bars: 1 }), () => Reflect.deleteProperty(require.cache, 'own'), 'node:module._cache.own'],
  ['a new member', 'path', () => Reflect.set(require('node:path'), 'bars', 1), () => Reflect.deleteProperty(require('node:path'), 'bars'), 'node:path.bars'],
])('%s that changes is found', (_, module, act, undo, path) => {
  expect(changeBy([module], act, undo)).toBe(path);
}); // prettier-ignore

test('the same values, a loaded package and a function in place of another one are no change', () => {
  const { join } = require('node:path') as Record<'join', unknown>;
  const change = changeBy(
    ['events', 'module', 'path', 'util', 'process', 'buffer', 'http', 'fs', 'crypto', 'stream'],
    () => {
      EventEmitter.defaultMaxListeners = 10;
      inspect.defaultOptions = { depth: 2 };
      require('decimal.js');
      Reflect.set(require('node:path'), 'join', () => '');
    },
    () => Reflect.set(require('node:path'), 'join', join),
  );
  expect(change).toBeNull();
});

test('a module that only a text names is not loaded', () => {
  // Its load would change `EventEmitter.usingDomains`, so that the module before it has another value.
  expect(changeBy(['events', 'domain', 'trace_events', 'sqlite'], () => {}, () => {})).toBeNull(); // prettier-ignore
  expect(Reflect.get(EventEmitter, 'usingDomains')).toBe(false);
});

test.each([
  ['fs', Stats.prototype],
  ['http', http.IncomingMessage.prototype],
  ['events', Object.assign(EventEmitter, { Prices: PricesOfTest }).Prices.prototype],
])('the getters of a prototype in %s are not called', (module, prototype) => {
  const before = Object.getOwnPropertyDescriptors(prototype);
  expect(changeBy([module], () => {}, () => {})).toBeNull(); // prettier-ignore
  expect(Object.getOwnPropertyDescriptors(prototype)).toEqual(before);
});

test('a member that Node loads when it is first read is not loaded, and no change if it is loaded later', () => {
  let loads = 0;
  const set = (): number => ++loads;
  Object.defineProperty(set, 'name', { value: 'set Lazy' });
  const load = (): void => void Object.defineProperty(EventEmitter, 'Lazy', { value: http.Agent });
  Object.defineProperty(EventEmitter, 'Lazy', { get: set, set, configurable: true });
  expect(changeBy(['events'], load, () => Reflect.deleteProperty(EventEmitter, 'Lazy'))).toBeNull();
  expect(loads).toBe(0);
});

test('the contents of loaded modules are not read', () => {
  let reads = 0;
  const read = (): number => ++reads;
  const exported = { toJSON: read, get bars() { return read(); } }; // prettier-ignore
  const loaded = { exports: exported, loaded: true, children: [] };
  require.cache['own'] = loaded as unknown as NodeJS.Module;
  expect(changeBy(['module'], () => {}, () => Reflect.deleteProperty(require.cache, 'own'))).toBeNull(); // prettier-ignore
  expect(reads).toBe(0);
});

test('an entry of the cache that is no module is compared by its contents', () => {
  const setEntry = (bars: number): void => void Reflect.set(require.cache, 'own', { bars, get read() { throw new Error('read'); } }); // prettier-ignore
  const clear = (): void => void Reflect.deleteProperty(require.cache, 'own');
  setEntry(1);
  expect(changeBy(['module'], () => setEntry(1), () => {})).toBeNull(); // prettier-ignore
  expect(changeBy(['module'], () => setEntry(2), clear)).toBe('node:module._cache.own');
});
