// Tests that money is exact at every instant, in the accounts of the venue and in the books of the bot.

import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { Strategy } from '../../src/index.ts';
import { backtest } from '../../src/run.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { run, runWithJournal, spotInstrument, walkBars } from './backtestFixture.ts';
import { spotBooks } from '../fixtures/spotBooks.ts';
import { expectSame } from '../fixtures/quickExpect.ts';

let currentRun: { engine: Engine; venue: Venue } | null = null;

/** Checks the accounts of the venue against the books of the bot. */
function checkBooks(): void {
  const { engine, venue } = currentRun!;
  venue.assertConserved();
  engine.ledger.assertReconciled();
  const balanceOf = (asset: string) => venue.free(0, asset) + venue.locked(0, asset);
  expectSame(balanceOf('USDT'), engine.ledger.cashTotal);
  engine.instruments.forEach(({ base }, index) => expectSame(balanceOf(base), spotBooks(engine).baseTotal(index)));
}

/** Places random orders of every kind and checks the books before each. */
class RandomTrader extends Strategy {
  all = this.feeds('all');
  override onBar() {
    checkBooks();
    for (const feed of this.all) {
      if (!feed.fresh || this.random() > 0.4) continue;
      const price = feed.bar.close;
      const tag = String(Math.floor(this.random() * 3));
      const brackets = { stopLoss: price * (1 - this.random() / 100), takeProfit: price * (1 + this.random() / 100), trailing: price / 50 };
      const actionDraw = this.random();
      if (actionDraw < 0.2) this.buy({ equity: this.random() / 5 }, { feed, tag, ...brackets });
      else if (actionDraw < 0.4) this.buy({ base: this.random() }, { feed, tag });
      else if (actionDraw < 0.6)
        this.buy({ quote: 10 + this.random() * 500 }, { feed, tag, limit: price * (1 - this.random() / 200), ...brackets });
      else if (actionDraw < 0.75) this.sell({ base: this.random() }, { feed, tag: `sell${tag}`, limit: price * (1 + this.random() / 200) });
      else if (actionDraw < 0.9) for (const { id } of this.openOrders(feed).slice(0, 1)) this.cancel(id);
      else this.exit(feed);
    }
  }
  override onFill() {
    checkBooks();
  }
  override onOrder() {
    checkBooks();
  }
}
class SecondTrader extends RandomTrader {}

const COARSE: Partial<Instrument> = { quoteDigits: 4, baseDigits: 3 };

describe.each([
  ['exact money', {}],
  ['money coarser than price x quantity', COARSE],
])('books of a run with %s', (_, digits) => {
  it.each([
    ['received', 'halfUp', 0],
    ['received', 'up', 20_000],
    ['quote', 'halfUp', 0],
    ['quote', 'down', 90_000],
  ] as const)('money is exact with fees in %s, rounded %s, latency %i', async (feesIn, rounding, latencyMs) => {
    const all = ['BTC', 'ETH'].map((base, index) =>
      walkBars({ rows: 300, seed: index + 1, missing: 0.05, instrument: spotInstrument(base, digits) }),
    );
    const { record, venue } = await run(
      {
        strategies: [RandomTrader, SecondTrader],
        feeds: { all },
        cash: { USDT: '1000', BTC: '2' },
        fees: { in: feesIn, rounding },
        fills: { latencyMs, maxVolumeSharePpm: 100_000, slippagePpm: 500 },
        seed: latencyMs + 7,
      },
      {},
      (engine, exchange) => (currentRun = { engine, venue: exchange }),
    );
    expect(record.fills.length).toBeGreaterThan(100);
    const feesPaid = (inBase: number) =>
      record.fills.fee.reduce((sum, fee, index) => sum + (record.fills.feeInBase[index] === inBase ? fee : 0), 0);
    expect(venue.feesTaken('USDT')).toBe(feesPaid(0));
    expect(venue.feesTaken('BTC') + venue.feesTaken('ETH')).toBe(feesPaid(1));
  });
});

it('equal runs write equal journals, and another seed writes another journal', async () => {
  const options = { strategies: [RandomTrader], feeds: { all: [walkBars({ rows: 200 })] } };
  /** Runs twice with a seed: once with checks of the books, and once with a journal, which it returns. */
  const journalOf = async (seed: number) => {
    class ChecksAtBars extends RandomTrader {
      override onFill() {}
      override onOrder() {}
    }
    currentRun = await run({ ...options, strategies: [ChecksAtBars], seed }, {}, (engine, venue) => (currentRun = { engine, venue }));
    return runWithJournal({ ...options, strategies: [Unwatched], seed }, ({ id }) => (id % 7 === 3 ? 'lostAnswer' : 'none'));
  };
  const firstRun = await journalOf(1);
  const secondRun = await journalOf(1);
  const otherSeed = await journalOf(2);
  expect(secondRun.hash).toBe(firstRun.hash);
  expect(otherSeed.hash).not.toBe(firstRun.hash);
  expect(secondRun.engine.fills.columns()).toEqual(firstRun.engine.fills.columns());
});

/** Makes the same decisions without checking the books, for runs that do not set `currentRun`. */
class Unwatched extends Strategy {
  all = this.feeds('all');
  override onBar() {
    const [feed] = this.all;
    if (this.random() < 0.3) this.buy({ quote: 20 }, { feed: feed!, limit: feed!.bar.close * (1 - this.random() / 300) });
    else if (this.random() < 0.2) this.exit(feed);
  }
}

describe('a buy by amount of more lots than can be counted', () => {
  class BuysByAmount extends Strategy {
    override onStart() {
      this.buy({ quote: 45_000 });
    }
  }
  const prices = Float64Array.from({ length: 10 }, () => 0.0000008);
  const data = {
    symbol: 'CHEAPUSDT',
    interval: '1h' as const,
    openMs: Array.from({ length: 10 }, (_, row) => Date.UTC(2024, 0, 1, row)),
    open: prices,
    high: prices,
    low: prices,
    close: prices,
    volume: prices.map(() => 1000),
  };
  const digits = { pricePrecision: 8, quantityPrecision: 8, quotePrecision: 8, basePrecision: 8 };
  const options = { strategy: BuysByAmount, data, cash: '100000', fees: '0', instruments: { CHEAPUSDT: digits } };

  it.each([{}, { impact: { coefficient: '1' } }])('ends the run with an error: it is not cut in silence (%o)', async (fills) => {
    await expect(backtest({ ...options, fills })).rejects.toThrow('the account has outgrown exact money');
  });

  it('fills what a cap on volume allows', async () => {
    const { fills } = await backtest({ ...options, fills: { maxVolumeShare: '0.5' } });
    expect(fills.quantity[0]).toBe(500);
  });
});
