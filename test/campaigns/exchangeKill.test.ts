// Tests kills of a paper exchange under load: npm run campaign -- exchangeKill --cases 100

import { expect, it } from 'vitest';
import { killExchange } from '../fixtures/killExchange.ts';

/** Number of kills. The suite makes only a few. */
const KILLS = Number(process.env['ISOBAR_CASES'] ?? 4);
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);

it(
  `${KILLS} kills lose no order, trade or balance that was reported (seed ${SEED})`,
  async () => {
    const { orders, trades, slowestStartMs } = await killExchange(KILLS, SEED);
    console.log(
      `${KILLS} kills: ${orders} orders and ${trades} trades that were reported are there; slowest start ${slowestStartMs.toFixed(0)} ms`,
    );
    expect(orders).toBeGreaterThan(KILLS * 5);
  },
  KILLS * 20_000 + 60_000,
);
