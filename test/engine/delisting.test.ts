// Tests symbols that leave a run: their positions are closed in their last bar, they are not traded afterwards, and the run warns.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { coverageWarnings } from '../../src/report/warnings/coverage.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import {
  barsOfRows,
  coarser,
  fillRows,
  MINUTE,
  orderRows,
  planFor,
  spotInstrument,
  START_MS,
  type PlanOptions,
  type PriceRow,
} from './backtestFixture.ts';

/** The last row of AAA. */
const LAST_ROW = 8;
/** Enough for every order of these tests to fill whole. */
const VOLUME = 1e6;
/** Lots of one coin. */
const LOTS_PER_COIN = 1000;

/** Returns rows that rise by one tick each: the first has all four prices at `firstTicks`. */
function risingRows(count: number, firstTicks: number): PriceRow[] {
  return Array.from({ length: count }, (_, row) => {
    const price = firstTicks + row;
    return [price, price, price, price, VOLUME];
  });
}

/** Buys both symbols and never sells. It also tries to buy the delisted symbol again. */
class BuyAndHold extends Strategy {
  all = this.feeds('all');
  closedRows = 0;
  override onBar() {
    const row = this.closedRows++;
    if (row === 1) for (const feed of this.all) this.buy({ base: 1 }, { feed });
    // A symbol that is being delisted cannot be bought again.
    if (row === LAST_ROW || row === LAST_ROW + 3) this.buy({ base: 1 }, { feed: this.all[0]!, tag: 'again' });
  }
}

/** Runs two symbols. AAA, whose last bar is LAST_ROW, is delisted after `delistedRow`. */
async function runDelisting(
  strategy: PlanOptions['strategies'][number] = BuyAndHold,
  { blockRows = 2048, delistedRow = LAST_ROW }: { readonly blockRows?: number; readonly delistedRow?: number } = {},
) {
  const feeds = {
    all: [barsOfRows(risingRows(LAST_ROW + 1, 1000), spotInstrument('AAA')), barsOfRows(risingRows(20, 2000), spotInstrument('BBB'))],
  };
  const plan = planFor({ strategies: [strategy], feeds, blockRows });
  const listedToMs = START_MS + (delistedRow + 1) * MINUTE;
  const listed = plan.feeds.map((feed) => (feed.bars.instrument.base === 'AAA' ? { ...feed, listedFromMs: START_MS, listedToMs } : feed));
  return runBacktest({ ...plan, feeds: listed });
}

test('a holding is closed at the open of the last bar of its symbol, and nothing is bought afterwards', async () => {
  for (const blockRows of [1, 7, 2048]) {
    const record = await runDelisting(BuyAndHold, { blockRows });
    const fills = fillRows(record).map(({ side, minute, price }) => [side, Math.floor(minute), price]);
    expect(fills).toEqual([['buy', 2, 1002], ['buy', 2, 2002], ['sell', LAST_ROW, 1000 + LAST_ROW]]); // prettier-ignore
    expect(orderRows(record).flatMap(({ code }) => (code === '' ? [] : [code]))).toEqual(['DELISTED', 'DELISTED']);
  }
});

test('when a symbol is delisted, its resting orders are cancelled and its protected position is sold', async () => {
  class RestingOrders extends BuyAndHold {
    override onBar() {
      super.onBar();
      if (this.closedRows !== 4) return;
      this.buy({ base: 1 }, { feed: this.all[0]!, limit: 5, tag: 'resting limit' });
      this.buy({ base: 1 }, { feed: this.all[0]!, stopLoss: 4, tag: 'entry with a stop' });
    }
  }
  const record = await runDelisting(RestingOrders);
  const sales = fillRows(record).filter(({ side }) => side === 'sell');
  const soldLots = sales.reduce((sum, { lots }) => sum + lots, 0);
  // Two coins were bought. Fees in the coin leave a little less to sell.
  expect(soldLots).toBeGreaterThanOrEqual(2 * LOTS_PER_COIN - 4);
  expect(orderRows(record).find(({ limit }) => limit === 500)?.ending).toBe('canceled');
});

test('the record of a run has the times from and to which a symbol was listed', async () => {
  const record = await runDelisting();
  const times = record.feeds.map(({ bars, listedFromMs, listedToMs }) => [bars.instrument.base, listedFromMs, listedToMs]);
  expect(times).toEqual([
    ['AAA', START_MS, START_MS + (LAST_ROW + 1) * MINUTE],
    ['BBB', undefined, undefined],
  ]);
});

test('a run warns about a symbol that is delisted', async () => {
  const record = await runDelisting();
  expect(coverageWarnings(record).map(({ code, text }) => `${code}: ${text}`)).toEqual([
    'DATA_DELISTED: AAAUSDT left the run on 2024-01-01 00:09 UTC: what was held was closed in its last bar, by a fill',
  ]);
  class Idle extends Strategy {
    all = this.feeds('all');
    override onBar() {}
  }
  expect(coverageWarnings(await runDelisting(Idle))[0]!.text).toMatch(
    'AAAUSDT left the run on 2024-01-01 00:09 UTC: nothing was held then',
  );
});

test('if the bars of a delisted symbol end before the delisting, a holding stays open, and the warning says so', async () => {
  const record = await runDelisting(BuyAndHold, { delistedRow: LAST_ROW + 2 });
  expect(fillRows(record).filter(({ side }) => side === 'sell')).toEqual([]);
  expect(coverageWarnings(record).map(({ text }) => text)).toEqual([
    'AAAUSDT left the run on 2024-01-01 00:11 UTC, and its bars end on 2024-01-01 00:09 UTC already: what was held then was not closed',
  ]);
});

test('the warning about a delisted symbol counts the fills in its last execution bar, also beside a coarser feed of the symbol', async () => {
  class BuyLate extends Strategy {
    fast = this.feed('fast');
    closedRows = 0;
    override onBar() {
      // Fills at minute 7, in the last bar of five minutes.
      if (this.fast.fresh && ++this.closedRows === 7) this.buy({ base: 1 }, { feed: this.fast });
    }
  }
  const minutes = barsOfRows(risingRows(10, 1000), spotInstrument('AAA'));
  const other = barsOfRows(risingRows(20, 2000), spotInstrument('BBB'));
  const plan = planFor({ strategies: [BuyLate], feeds: { fast: minutes, slow: coarser(minutes, '5m'), other } });
  const listedToMs = START_MS + 10 * MINUTE;
  const feeds = plan.feeds.map((feed) => (feed.name === 'other' ? feed : { ...feed, listedFromMs: START_MS, listedToMs }));
  const record = await runBacktest({ ...plan, feeds });
  expect(fillRows(record).map(({ side, minute }) => [side, Math.floor(minute)])).toEqual([['buy', 7], ['sell', 9]]); // prettier-ignore
  expect(coverageWarnings(record).map(({ text }) => text)).toEqual([
    'AAAUSDT left the run on 2024-01-01 00:10 UTC: what was held was closed in its last bar, by a fill',
  ]);
});
