// Tests which modules of Node a code can reach: those that it loads, and those of the globals that it names.

import { expect, test } from 'vitest';
import { nodeModulesIn } from './nodeUse.ts';

test.each([
  ["import { on } from 'node:events';", ['events']],
  ["import 'node:test'; import('fs/promises');", ['test', 'fs/promises']],
  ['var util = __require("util"); Buffer.from("a");', ['util', 'buffer']],
  ["const load = createRequire(import.meta.url); const { on } = load('events');", ['events']],
  ["process.getBuiltinModule('events');", ['events', 'process']],
  ['process.title; const { env } = globalThis.process;', ['process']],
])('the code %s reaches modules of Node', (code, modules) => {
  expect(nodeModulesIn(code)).toEqual(modules);
});

test.each(["const label = 'events'; const other = `domain`;", "import { sma } from 'isobar';", 'class A { process(bar) { return this.process(bar - 1); } }'])(
  'the code %s reaches no module of Node',
  (code) => {
    expect(nodeModulesIn(code)).toEqual([]);
  },
); // prettier-ignore
