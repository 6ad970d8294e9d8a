// Tests that a replacement with the same tag waits for the old order, at any latency. It is sized for the lots that the old order left.

import { describe, expect, it } from 'vitest';
import type { OrderOptions, Size } from '../../src/index.ts';
import { HUNDRED_LOTS, quietRows, type PriceRow } from './backtestFixture.ts';
import { faultOfOrder, runScript, type ReportingStrategy, type Script } from './reportingStrategy.ts';

/** A row that falls below 99, to 98.9. */
const DIP: PriceRow = [10_000, 10_000, 9890, 9950];

/** Returns a script that rests a limit at 99, and replaces it by one at 98 at the close of `row`. */
const replaceAt = (row: number, size: Size = HUNDRED_LOTS, options: OrderOptions = {}): Script => ({
  0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: 'rung' }),
  [row]: (strategy) => {
    strategy.cancelOrder(1);
    strategy.order('buy', size, { limit: 98, tag: 'rung', ...options });
  },
});

describe.each([0, 300, 20_000, 90_000])('a replacement with the same tag, latency %i ms', (latencyMs) => {
  const withLatency = { fills: { latencyMs } };

  it('a replacement is sent once the old order has ended, and is never denied with SLOT_BUSY', async () => {
    const { orders } = await runScript(replaceAt(3), quietRows(9), withLatency);
    expect(orders.map(({ ending, lots, limit, code }) => [ending, lots, limit, code])).toEqual([
      ['canceled', 100, 9900, ''],
      ['open', 100, 9800, ''],
    ]);
  });

  it('a ladder of orders can be replaced at every bar', async () => {
    const script: Script = Object.fromEntries(
      Array.from({ length: 30 }, (_, row) => [row, (strategy: ReportingStrategy) => replaceLadder(strategy, row)]),
    );
    const { orders, reported } = await runScript(script, quietRows(32), withLatency);
    expect(reported.filter((line) => line.includes('SLOT_BUSY'))).toEqual([]);
    expect(orders.filter(({ ending }) => ending === 'open')).toHaveLength(2);
  });
});

/** Replaces both orders of a ladder: cancels the working one and places a new one with its tag. A tag with a waiting draft is left alone. */
function replaceLadder(strategy: ReportingStrategy, row: number): void {
  for (const [index, tag] of ['a', 'b'].entries()) {
    const tagged = strategy.ordersTagged(tag);
    if (tagged.some(({ lifecycle }) => lifecycle === 'draft')) continue;
    for (const { id } of tagged) strategy.cancelOrder(id);
    strategy.order('buy', HUNDRED_LOTS, { limit: 99 - index - (row % 7) * 0.1, tag });
  }
}

describe('a replacement', () => {
  const withLatency = { fills: { latencyMs: 20_000 } };

  it('a replacement waits as a draft that the strategy is notified of and sees among its open orders', async () => {
    const openOrders: string[] = [];
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => openOrders.push(...strategy.openOrderTexts()) };
    const { reported } = await runScript(script, quietRows(9), { fills: { latencyMs: 90_000 } });
    expect(openOrders).toEqual(['1 cancelSent', '2 draft']);
    expect(reported).toEqual(['1 working', '2 draft', '1 done', '2 working']);
  });

  it('a replacement is dropped with REPLACED_FILLED when the old order fills wholly before its cancel acts', async () => {
    const { orders, fills, reported } = await runScript(replaceAt(3), [...quietRows(4), DIP, ...quietRows(4)], withLatency);
    expect(fills.map(({ order, price }) => [order, price])).toEqual([[1, 9900]]); // prettier-ignore
    expect(orders[1]).toMatchObject({ ending: 'denied', code: 'REPLACED_FILLED', filled: 0 });
    expect(reported.at(-1)).toBe('2 done REPLACED_FILLED');
  });

  it('a replacement is sized for what the old order left when the old order fills in part', async () => {
    const thin: PriceRow = [10_000, 10_000, 9890, 9950, 0.4];
    const { orders } = await runScript(replaceAt(3), [...quietRows(4), thin, ...quietRows(4)], {
      fills: { latencyMs: 20_000, maxVolumeSharePpm: 100_000 },
    });
    expect(orders.map(({ ending, lots, filled }) => [ending, lots, filled])).toEqual([
      ['canceled', 100, 40],
      ['open', 60, 0],
    ]);
  });

  it('a replacement that is larger than the old order keeps its own size if the old order does not fill', async () => {
    const { orders } = await runScript(replaceAt(3, { base: '0.25' }), quietRows(9), withLatency);
    expect(orders[1]).toMatchObject({ ending: 'open', lots: 250 });
  });

  it('a replacement needs no cash beside that of the old order, because both are never open at once', async () => {
    // The old order has reserved all cash. If both were open, the new one would be denied with MARGIN.
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: 'rung' }),
      3: (strategy) => {
        strategy.cancelOrder(1);
        strategy.order('buy', HUNDRED_LOTS, { limit: 98, tag: 'rung' });
      },
    };
    const { orders } = await runScript(script, quietRows(9), { fills: { latencyMs: 90_000 }, cash: { USDT: '10' } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['canceled', ''], ['open', '']]); // prettier-ignore
  });

  it('risk checks a replacement when it is sent', async () => {
    const { orders } = await runScript(replaceAt(3, { base: '0.2' }), quietRows(9), { ...withLatency, risk: { maxOrderQty: '0.15' } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['canceled', ''], ['denied', 'QTY_MAX']]); // prettier-ignore
  });

  it('a replacement of an order in flight waits for its acknowledgement and its cancel', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: 'rung' });
        strategy.cancelOrder(1);
        strategy.order('buy', HUNDRED_LOTS, { limit: 98, tag: 'rung' });
      },
    };
    const { orders } = await runScript(script, quietRows(9), { fills: { latencyMs: 90_000 } });
    expect(orders.map(({ ending, limit }) => [ending, limit])).toEqual([['canceled', 9900], ['open', 9800]]); // prettier-ignore
  });

  it('a second replacement with the same tag is denied while the first one waits', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 97, tag: 'rung' }) };
    const { orders } = await runScript(script, quietRows(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([
      ['canceled', ''],
      ['open', ''],
      ['denied', 'SLOT_BUSY'],
    ]);
  });

  it('a replacement that is cancelled while it waits is never sent', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.cancelOrder(2) };
    const { orders, reported } = await runScript(script, quietRows(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'canceled']);
    expect(reported.filter((line) => line.startsWith('2'))).toEqual(['2 draft', '2 done']);
  });

  it('an exit drops a replacement that waits', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.exitPosition() };
    const { orders, engine } = await runScript(script, quietRows(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'canceled']);
    expect(engine.followUps).toBe(0);
  });

  it('a replacement that still waits when the run ends stays open', async () => {
    const { orders } = await runScript(replaceAt(3), quietRows(5), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['open', 'open']);
  });

  it('a replacement without tags replaces the order of its side', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS, { limit: 99 }),
      3: (strategy) => {
        strategy.cancelOrder(1);
        strategy.order('buy', HUNDRED_LOTS, { limit: 98 });
      },
    };
    const { orders } = await runScript(script, quietRows(9), withLatency);
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'open']);
  });

  it('a replacement by amount is denied when the old order has filled whole', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', { quote: '50' }, { tag: 'rung' }),
      1: (strategy) => {
        strategy.cancelOrder(1);
        strategy.order('buy', { quote: '80' }, { tag: 'rung' });
      },
    };
    const { orders, fills } = await runScript(script, quietRows(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'denied']);
    expect(fills).toHaveLength(1);
  });

  it('a replacement whose old order is of unknown outcome waits until that is known', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order('buy', HUNDRED_LOTS, { limit: 99, tag: 'rung' });
        strategy.cancelOrder(1);
        strategy.order('buy', HUNDRED_LOTS, { limit: 98, tag: 'rung' });
      },
    };
    const { orders, reported } = await runScript(script, quietRows(40), withLatency, faultOfOrder(1, 'lostAnswer'));
    expect(reported.filter((line) => line.startsWith('1'))).toEqual(['1 unknown', '1 cancelSent', '1 done']);
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'open']);
  });

  it('a replacement of the other side waits too, and keeps its size', async () => {
    const script: Script = {
      0: (strategy) => strategy.order('buy', HUNDRED_LOTS),
      2: (strategy) => strategy.order('buy', { base: '0.2' }, { limit: 99, tag: 'one' }),
      4: (strategy) => {
        strategy.cancelOrder(2);
        strategy.order('sell', HUNDRED_LOTS, { limit: 101, tag: 'one' });
      },
    };
    const { orders } = await runScript(script, [...quietRows(5), DIP, ...quietRows(5)], withLatency);
    expect(orders.map(({ ending, lots }) => [ending, lots])).toEqual([['filled', 100], ['filled', 200], ['open', 100]]); // prettier-ignore
  });
});
