// Tests that a replacement with the same tag waits for the old order and is sized for the lots that the old order left, at any latency.

import { describe, expect, it } from 'vitest';
import { Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, orderRows, run, type PlanOptions } from './world.ts';

type RowOf = readonly [open: number, high: number, low: number, close: number, volume?: number];
const QUIET: RowOf = [10_000, 10_010, 9990, 10_000];
const quiet = (rows: number): RowOf[] => Array.from({ length: rows }, () => QUIET);
/** A row that falls below 99, to 98.9. */
const DIP: RowOf = [10_000, 10_000, 9890, 9950];
const BUY: Size = { base: '0.1' };

/** Records every order that it is notified of. */
class ReportingStrategy extends Strategy {
  reported: string[] = [];
  row = 0;
  order = (isBuy: boolean, size: Size, options?: OrderOptions) => (isBuy ? this.buy(size, options) : this.sell(size, options));
  cancelAll = (id: number) => this.cancel(id as never);
  exitPosition = () => this.exit();
  tagged = (tag: string) => this.openOrders().filter((order) => order.tag === tag);
  open = () => this.openOrders().map(({ id, lifecycle }) => `${id} ${lifecycle}`);
  override onOrder({ id, lifecycle, code }: OrderInfo) {
    this.reported.push(`${id} ${lifecycle}${code === null ? '' : ` ${code}`}`);
  }
}
type Script = Readonly<Record<number, (strategy: ReportingStrategy) => unknown>>;

/** Runs a script over rows, and returns its orders. */
async function play(
  script: Script,
  rows: readonly RowOf[],
  options: Partial<PlanOptions> = {},
  faultOf?: (order: { readonly id: number }) => 'none' | 'lostAnswer' | 'lostRequest',
) {
  let lastStrategy: ReportingStrategy | undefined;
  class Played extends ReportingStrategy {
    override onBar() {
      // oxlint-disable-next-line typescript/no-this-alias -- the test reads what was reported to the strategy
      lastStrategy = this;
      script[this.row++]?.(this);
    }
  }
  const { record, engine } = await run({ strategies: [Played], feeds: { bars: barsOfRows(rows) }, ...options }, faultOf ? { faultOf } : {});
  return { engine, reported: lastStrategy!.reported, orders: orderRows(record), fills: fillRows(record) };
}

/** Returns a script that rests a limit at 99, and replaces it by one at 98 at the close of `row`. */
const replaceAt = (row: number, size: Size = BUY, options: OrderOptions = {}): Script => ({
  0: (strategy) => strategy.order(true, BUY, { limit: 99, tag: 'rung' }),
  [row]: (strategy) => {
    strategy.cancelAll(1);
    strategy.order(true, size, { limit: 98, tag: 'rung', ...options });
  },
});

describe.each([0, 300, 20_000, 90_000])('a replacement with the same tag, latency %i ms', (latencyMs) => {
  const withLatency = { fills: { latencyMs } };

  it('a replacement is sent once the old order has ended, and is never denied with SLOT_BUSY', async () => {
    const { orders } = await play(replaceAt(3), quiet(9), withLatency);
    expect(orders.map(({ ending, lots, limit, code }) => [ending, lots, limit, code])).toEqual([
      ['canceled', 100, 9900, ''],
      ['open', 100, 9800, ''],
    ]);
  });

  it('a ladder of orders can be replaced at every bar', async () => {
    const script: Script = Object.fromEntries(
      Array.from({ length: 30 }, (_, row) => [row, (strategy: ReportingStrategy) => ladder(strategy, row)]),
    );
    const { orders, reported } = await play(script, quiet(32), withLatency);
    expect(reported.filter((line) => line.includes('SLOT_BUSY'))).toEqual([]);
    expect(orders.filter(({ ending }) => ending === 'open')).toHaveLength(2);
  });
});

/** Keeps two orders: cancels a working one and places a new one with its tag. A waiting draft is left alone. */
function ladder(strategy: ReportingStrategy, row: number): void {
  for (const [index, tag] of ['a', 'b'].entries()) {
    const tagged = strategy.tagged(tag);
    if (tagged.some(({ lifecycle }) => lifecycle === 'draft')) continue;
    for (const { id } of tagged) strategy.cancelAll(id);
    strategy.order(true, BUY, { limit: 99 - index - (row % 7) * 0.1, tag });
  }
}

describe('a replacement', () => {
  const withLatency = { fills: { latencyMs: 20_000 } };

  it('a replacement waits as a draft that the strategy is notified of and sees among its open orders', async () => {
    const events: string[] = [];
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => events.push(...strategy.open()) };
    const { reported } = await play(script, quiet(9), { fills: { latencyMs: 90_000 } });
    expect(events).toEqual(['1 cancelSent', '2 draft']);
    expect(reported).toEqual(['1 working', '2 draft', '1 done', '2 working']);
  });

  it('a replacement is dropped with REPLACED_FILLED when the old order fills wholly before its cancel acts', async () => {
    const { orders, fills, reported: notified } = await play(replaceAt(3), [...quiet(4), DIP, ...quiet(4)], withLatency);
    expect(fills.map(({ order, price }) => [order, price])).toEqual([[1, 9900]]); // prettier-ignore
    expect(orders[1]).toMatchObject({ ending: 'denied', code: 'REPLACED_FILLED', filled: 0 });
    expect(notified.at(-1)).toBe('2 done REPLACED_FILLED');
  });

  it('a replacement is sized for what the old order left when the old order fills in part', async () => {
    const thin: RowOf = [10_000, 10_000, 9890, 9950, 0.4];
    const { orders } = await play(replaceAt(3), [...quiet(4), thin, ...quiet(4)], {
      fills: { latencyMs: 20_000, maxVolumeSharePpm: 100_000 },
    });
    expect(orders.map(({ ending, lots, filled }) => [ending, lots, filled])).toEqual([
      ['canceled', 100, 40],
      ['open', 60, 0],
    ]);
  });

  it('a replacement that is larger than the old order keeps its own size if the old order does not fill', async () => {
    const { orders } = await play(replaceAt(3, { base: '0.25' }), quiet(9), withLatency);
    expect(orders[1]).toMatchObject({ ending: 'open', lots: 250 });
  });

  it('a replacement is never open beside the old order, and needs no money for both', async () => {
    // The old order has reserved all cash. If both were open, the new one would be denied with MARGIN.
    const script: Script = {
      0: (strategy) => strategy.order(true, { base: '0.1' }, { limit: 99, tag: 'rung' }),
      3: (strategy) => {
        strategy.cancelAll(1);
        strategy.order(true, { base: '0.1' }, { limit: 98, tag: 'rung' });
      },
    };
    const { orders } = await play(script, quiet(9), { fills: { latencyMs: 90_000 }, cash: { USDT: '10' } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['canceled', ''], ['open', '']]); // prettier-ignore
  });

  it('a replacement is judged by risk when it is sent', async () => {
    const { orders } = await play(replaceAt(3, { base: '0.2' }), quiet(9), { ...withLatency, risk: { maxOrderQty: '0.15' } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['canceled', ''], ['denied', 'QTY_MAX']]); // prettier-ignore
  });

  it('a replacement of an order in flight waits for its acknowledgement and its cancel', async () => {
    const script: Script = {
      0: (strategy) => {
        strategy.order(true, BUY, { limit: 99, tag: 'rung' });
        strategy.cancelAll(1);
        strategy.order(true, BUY, { limit: 98, tag: 'rung' });
      },
    };
    const { orders } = await play(script, quiet(9), { fills: { latencyMs: 90_000 } });
    expect(orders.map(({ ending, limit }) => [ending, limit])).toEqual([['canceled', 9900], ['open', 9800]]); // prettier-ignore
  });

  it('a replacement counts as the order of its tag: a second one is denied', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.order(true, BUY, { limit: 97, tag: 'rung' }) };
    const { orders } = await play(script, quiet(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([
      ['canceled', ''],
      ['open', ''],
      ['denied', 'SLOT_BUSY'],
    ]);
  });

  it('a replacement can be cancelled while it waits: it is never sent', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.cancelAll(2) };
    const { orders, reported: news } = await play(script, quiet(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'canceled']);
    expect(news.filter((line) => line.startsWith('2'))).toEqual(['2 draft', '2 done']);
  });

  it('an exit drops a replacement that waits', async () => {
    const script = { ...replaceAt(3), 4: (strategy: ReportingStrategy) => strategy.exitPosition() };
    const { orders, engine } = await play(script, quiet(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'canceled']);
    expect(engine.followUps).toBe(0);
  });

  it('a replacement may still wait when the run ends', async () => {
    const { orders } = await play(replaceAt(3), quiet(5), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['open', 'open']);
  });

  it('a replacement without tags replaces the order of its side', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY, { limit: 99 }),
      3: (strategy) => {
        strategy.cancelAll(1);
        strategy.order(true, BUY, { limit: 98 });
      },
    };
    const { orders } = await play(script, quiet(9), withLatency);
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'open']);
  });

  it('a replacement by amount spends what the old order left', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, { quote: '50' }, { tag: 'rung' }),
      1: (strategy) => {
        strategy.cancelAll(1);
        strategy.order(true, { quote: '80' }, { tag: 'rung' });
      },
    };
    const { orders, fills } = await play(script, quiet(9), { fills: { latencyMs: 120_000 } });
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'denied']);
    expect(fills).toHaveLength(1);
  });

  it('a replacement whose old order is of unknown outcome waits until that is known', async () => {
    const rows = quiet(40);
    const once = ({ id }: { readonly id: number }) => (id === 1 ? ('lostAnswer' as const) : ('none' as const));
    const script: Script = {
      0: (strategy) => {
        strategy.order(true, BUY, { limit: 99, tag: 'rung' });
        strategy.cancelAll(1);
        strategy.order(true, BUY, { limit: 98, tag: 'rung' });
      },
    };
    const { orders, reported: otherReported } = await play(script, rows, { fills: { latencyMs: 20_000 } }, once);
    expect(otherReported.filter((line) => line.startsWith('1'))).toEqual(['1 unknown', '1 cancelSent', '1 done']);
    expect(orders.map(({ ending }) => ending)).toEqual(['canceled', 'open']);
  });

  it('a replacement of the other side keeps its size, and still waits', async () => {
    const script: Script = {
      0: (strategy) => strategy.order(true, BUY),
      2: (strategy) => strategy.order(true, { base: '0.2' }, { limit: 99, tag: 'one' }),
      4: (strategy) => {
        strategy.cancelAll(2);
        strategy.order(false, BUY, { limit: 101, tag: 'one' });
      },
    };
    const { orders } = await play(script, [...quiet(5), DIP, ...quiet(5)], withLatency);
    expect(orders.map(({ ending, lots }) => [ending, lots])).toEqual([['filled', 100], ['filled', 200], ['open', 100]]); // prettier-ignore
  });
});
