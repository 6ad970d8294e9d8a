// Tests stops of a futures position while a resting order would reverse the position or open the other side.

import { expect, it } from 'vitest';
import type { ContractData } from '../../src/model/bars/contractData.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { InstrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, SIDES } from '../../src/model/run/run.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, planFor } from './backtestFixture.ts';

/** Opens a long with a stop, and places a sell above it that is larger than the position, and a buy below it. */
class LongWithStop extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 100 }, { stopLoss: 39_000 });
    if (this.rows === 2) this.sell({ base: 150 }, { limit: 45_000, tag: 'reversal' });
    if (this.rows === 2) this.buy({ base: 10 }, { limit: 30_000, tag: 'below' });
  }
}

it.each([true, false])('a stop closes a long while a resting sell would reverse it (net mode: %s)', async (isNet) => {
  const instrument = linearContract();
  const row = (open: number, low: number) => [open, open, low, low] as const;
  const bars = barsOfRows(
    // Row 2 reaches the stop, and row 4 the price of the sell.
    [row(400_000, 400_000), row(400_000, 400_000), row(400_000, 385_000), row(385_000, 385_000), row(460_000, 460_000)],
    instrument,
  );
  const futures = { leverage: 10, isCross: true, isNet, liquidationFeePpm: 2000, data: new Map<InstrumentId, ContractData>() };
  const record = await runBacktest({ ...planFor({ strategies: [LongWithStop], feeds: { bars }, cash: { USDT: '40000' } }), futures });
  const { fills, orders } = record;
  expect({ price: fills.price[1], lots: fills.lots[1], side: SIDES[fills.side[1]!] }).toEqual({ price: 390_000, lots: 100, side: 'sell' });
  // In net mode the sell is cancelled, because without the long it would open a short. In two-way mode it is meant to open one. The buy
  // stays.
  expect([...orders.ending].map((ending) => ENDINGS[ending])).toEqual(['filled', isNet ? 'canceled' : 'filled', 'open', 'filled']);
});

/** Opens a long, places a trigger order at the exchange as its stop, and a smaller sell above the price. */
class LongWithTrigger extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 100 });
    if (this.rows === 2) this.sell({ base: 100 }, { trigger: 39_000, tag: 'stop' });
    if (this.rows === 3) this.sell({ base: 60 }, { limit: 45_000, tag: 'reversal' });
  }
}

it.each([true, false])('a stop at the exchange closes a long while an order of the other side rests (net mode: %s)', async (isNet) => {
  const instrument = linearContract();
  const row = (open: number, low: number) => [open, open, low, low] as const;
  const flat = row(400_000, 400_000);
  const bars = barsOfRows([flat, flat, flat, row(400_000, 385_000), row(385_000, 385_000)], instrument);
  const futures = { leverage: 10, isCross: true, isNet, liquidationFeePpm: 2000, data: new Map<InstrumentId, ContractData>() };
  const record = await runBacktest({ ...planFor({ strategies: [LongWithTrigger], feeds: { bars }, cash: { USDT: '40000' } }), futures });
  const { fills, orders } = record;
  expect({ count: fills.length, price: fills.price[1], lots: fills.lots[1] }).toEqual({ count: 2, price: 390_000, lots: 100 });
  expect([...orders.ending].map((ending) => ENDINGS[ending])).toEqual(['filled', 'filled', 'open']);
});

it('a stop at the exchange larger than the rest of the position is rejected, and the rest closes at the next open', async () => {
  const instrument = linearContract();
  const row = (open: number, high: number, low: number) => [open, high, low, low] as const;
  const flat = row(400_000, 400_000, 400_000);
  const rows = [flat, flat, flat, row(450_000, 450_001, 400_000), row(400_000, 400_000, 385_000), row(384_000, 384_000, 384_000), flat];
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data: new Map<InstrumentId, ContractData>() };
  const bars = barsOfRows(rows, instrument);
  const record = await runBacktest({ ...planFor({ strategies: [LongWithTrigger], feeds: { bars }, cash: { USDT: '40000' } }), futures });
  const { fills, orders } = record;
  // 60 of 100 are sold at 45,000. The exchange rejects the stop of 100 with 10015, and the remaining 40 are sold at the next open.
  expect([...fills.lots.subarray(0, fills.length)]).toEqual([100, 60, 40]);
  expect({ price: fills.price[2], side: SIDES[fills.side[2]!] }).toEqual({ price: 384_000, side: 'sell' });
  expect([...orders.ending].map((ending) => ENDINGS[ending])).toEqual(['filled', 'rejected', 'filled', 'filled']);
  expect(orders.texts[orders.code[1]!]).toBe('10015');
});
