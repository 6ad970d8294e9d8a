// Tests three faults of `npm run faults` over HTTP: no order is lost or duplicated, and the books are exact to the last unit.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runFault } from './faultRun.ts';
import { FAULTS } from './faultTable.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SEED = 7;
/** Number of orders of each run. `npm run faults` sends more. */
const ORDERS = 20;
const SHORT_FAULTS = ['lost response', 'truncation', 'cancel races'];

test.concurrent.each(FAULTS.filter(({ name }) => SHORT_FAULTS.includes(name)))(
  'a bot under the fault $name loses and duplicates no order, and its books equal those of the exchange',
  async (fault) => {
    const log: string[] = [];
    const result = await runFault(fault, { root: ROOT, orders: ORDERS, seed: SEED, speed: 20, notify: (line) => log.push(line) });
    expect(result, log.slice(-30).join('')).toMatchObject({ lost: 0, duplicated: 0, unresolved: 0, ledgerEqual: true, violations: [] });
    expect(result.orders).toBeGreaterThanOrEqual(ORDERS);
  },
);
