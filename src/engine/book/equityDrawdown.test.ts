// Tests the maximum drawdown of an account with one feed: by pieces of rows it equals that of all rows taken one by one.

import { expect, test } from 'vitest';
import { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import { Scratch } from '../../base/memory/rowLog.ts';
import { seededRng } from '../../base/number/rng.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { fillOf } from '../../../test/fixtures/fills.ts';
import { inverseContract, linearContract } from '../../../test/fixtures/futuresVenue.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { EquityRecorder } from './equityRecorder.ts';

/** Returns a random whole number from 0 to `below` - 1. */
type Pick = (below: number) => number;
/** The deposit, in units. */
const START_UNITS = 1e10;
const MINUTE = 60_000;

/** An account. `fill` books a fill of random size and side at a price. */
interface Account {
  readonly ledger: Ledger;
  readonly fill: (price: number, pick: Pick) => void;
}

/** Returns a spot account that random fills change. */
function spotAccount(instrument: Instrument): Account {
  const ledger = new SpotLedger([instrument], 1);
  ledger.deposit(0, instrument.quote, START_UNITS);
  const fill = (price: number, pick: Pick) => {
    const heldLots = ledger.lots(0, 0);
    const lots = heldLots > 0 ? heldLots : 1 + pick(500);
    // A fee in coins leaves a holding that is worth a fraction of a unit.
    const feeInBase = heldLots === 0 && pick(2) === 0;
    ledger.fill(0, 0, heldLots === 0, fillOf({ lots, price, notional: price * lots, fee: feeInBase ? pick(2) : pick(1000), feeInBase }));
  };
  return { ledger, fill };
}

/** Returns a futures account that random fills change. */
function contractAccount(contract: Instrument, isNet: boolean): Account {
  const ledger = new FuturesLedger([contract], 1, () => ({ leverage: 5, isCross: true, isNet }));
  ledger.deposit(0, ledger.cashAsset, START_UNITS);
  const fill = (price: number, pick: Pick) => {
    const isBuy = pick(2) === 0;
    const closable = ledger.closable(0, 0, isBuy, true);
    const isClose = !isNet && closable > 0 && pick(2) === 0;
    const lots = isClose ? 1 + pick(closable) : 1 + pick(300);
    ledger.fill(0, 0, isBuy, fillOf({ lots, price, notional: ledger.scale(0).valueOfLots(lots, price), fee: pick(1000) }), isClose);
  };
  return { ledger, fill };
}

const ACCOUNTS: Readonly<Record<string, () => Account>> = {
  'spot, exact': () => spotAccount(spotInstrument()),
  'spot, rounded': () => spotAccount(spotInstrument('BTC', { quoteDigits: 2, priceDigits: 4 })),
  'linear, net': () => contractAccount(linearContract(), true),
  'linear, both sides': () => contractAccount(linearContract({ marginDigits: 2 }, { quoteDigits: 2 }), false),
  'inverse, net': () => contractAccount(inverseContract(), true),
  'inverse, both sides': () => contractAccount(inverseContract(), false),
};

/** Returns a random walk of prices, in which one of `missingRate` marks is missing (none if it is 0). */
function walkOf(rows: number, pick: Pick, missingRate: number): TickColumn {
  let price = 400_000;
  const maxStepTicks = [1, 50, 5_000][pick(3)]!;
  const ticks = Array.from({ length: rows }, () => {
    price = Math.max(1, price + pick(2 * maxStepTicks + 1) - maxStepTicks);
    return missingRate > 0 && pick(missingRate) === 0 ? NaN : price;
  });
  return missingRate > 0 || pick(4) === 0 ? Float64Array.from(ticks) : Int32Array.from(ticks);
}

test.each(Object.entries(ACCOUNTS))(
  'the drawdown of a %s account by pieces equals that over all rows, at random fills',
  (_, openAccount) => {
    let runsWithDrawdown = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const rng = seededRng(seed);
      const pick: Pick = (below) => Math.floor(rng.next() * below);
      const { ledger, fill } = openAccount();
      // Of 20 seeds, 9 have few rows, 9 have some hundreds and 2 have thousands.
      const rows = 1 + pick([40, 300, 3_000][Math.floor((seed % 20) / 9)]!);
      const ticks = walkOf(rows, pick, seed % 7 === 0 ? 20 : 0);
      const closeMs = Float64Array.from({ length: rows }, (_row, row) => (row + 1) * MINUTE);
      const firstRow = pick(Math.min(rows, 40));
      const cursor = { row: firstRow - 1 };
      const feed = { cursor, instrumentIndex: 0, firstRow, bars: { closeMs, length: rows } } as unknown as FeedRun;
      const byPieces = new MaxDrawdown(START_UNITS);
      const expected = new MaxDrawdown(START_UNITS);
      const sink = { take: () => undefined, rowsOf: () => new Int32Array(0), drawdown: byPieces };
      const recorder = new EquityRecorder([feed], [ticks], ledger, new Scratch(), sink, 64);
      const rowsPerFill = 1 + pick(200);
      for (cursor.row = firstRow; cursor.row < rows; cursor.row++) {
        const price = ticks[cursor.row]!;
        // A fill inside the row comes before its close.
        if (pick(rowsPerFill) === 0 && price > 0) {
          cursor.row--;
          recorder.settle();
          cursor.row++;
          fill(price, pick);
        }
        expected.take(Float64Array.of(ledger.equityTotalUnits([price])), 1);
        if (pick(50) === 0) recorder.settle();
      }
      cursor.row = rows - 1;
      recorder.settle();
      expect([byPieces.fraction, byPieces.units], `seed ${seed}`).toEqual([expected.fraction, expected.units]);
      if (expected.fraction < 0) runsWithDrawdown++;
    }
    expect(runsWithDrawdown).toBeGreaterThan(40);
  },
);
