// The short form of npm run faults: some faults over real sockets at once, nothing twice, nothing forgotten, books right to the last unit.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runFault } from './faultRun.ts';
import { FAULTS } from './faultTable.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SEED = 7;
/** A hundred and more by `npm run faults`. */
const ORDERS = 20;
const names = ['lost response', 'truncation', 'cancel races'];

test.concurrent.each(FAULTS.filter(({ name }) => names.includes(name)))('$name', async (fault) => {
  const text: string[] = [];
  const result = await runFault(fault, { root: ROOT, orders: ORDERS, seed: SEED, speed: 20, notify: (line) => text.push(line) });
  expect(result, text.slice(-30).join('')).toMatchObject({ lost: 0, duplicated: 0, unresolved: 0, ledgerEqual: true, wrong: [] });
  expect(result.orders).toBeGreaterThanOrEqual(ORDERS);
});
