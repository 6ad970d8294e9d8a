// Tests the memory of a paper exchange: a million ended orders need little more than 100,000. npm run campaign -- exchangeMemory.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleProgram } from '../fixtures/bundledProgram.ts';

const ORDERS = Number(process.env['ISOBAR_CASES'] ?? 2000);
/** From this number of orders on, memory and speed are checked. The suite has fewer orders, and only checks that the first one is found. */
const MEASURED_FROM = 1_000_000;

/** What the process with many orders printed. */
interface ManyOrders {
  /** Memory after a tenth of the orders, and after all of them. */
  readonly tenthMb: number;
  readonly wholeMb: number;
  /** True when a query finds the first order. */
  readonly foundFirst: boolean;
  /** Number of open orders when the slowdown is measured. */
  readonly open: number;
  /** Time of a create with `open` open orders, as a multiple of the time without them. */
  readonly createSlowdown: number;
  readonly microsPerOrder: number;
  /** Time of a start from the folder. Null without a folder. */
  readonly reopenMs: number | null;
}

it(`the exchange finds the first of ${ORDERS} orders, and its memory stays bounded`, () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-exchange-memory-'));
  const program = join(root, 'memory.mjs');
  bundleProgram(new URL('../fixtures/manyOrders.ts', import.meta.url), program);
  try {
    for (const storage of ORDERS >= MEASURED_FROM ? ['scratch', 'folder'] : ['folder']) {
      const folder = storage === 'folder' ? join(root, 'data') : '';
      const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, String(ORDERS), folder], { encoding: 'utf8' });
      expect(stderr).toBe('');
      const { tenthMb, wholeMb, foundFirst, open, createSlowdown, microsPerOrder, reopenMs } = JSON.parse(stdout) as ManyOrders;
      const growth = wholeMb / tenthMb;
      console.log(
        `${storage}: ${tenthMb} MB after ${ORDERS / 10} orders, ${wholeMb} MB after ${ORDERS}: ${growth.toFixed(2)} x; ` +
          `${microsPerOrder} us an order; ${open} open orders make a create ${createSlowdown} x as slow` +
          (reopenMs === null ? '' : `; opened again in ${reopenMs} ms`),
      );
      expect(foundFirst).toBe(true);
      if (ORDERS >= MEASURED_FROM) {
        expect(growth).toBeLessThanOrEqual(1.2);
        expect(createSlowdown).toBeLessThanOrEqual(1.5);
      }
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}, 1_200_000);
