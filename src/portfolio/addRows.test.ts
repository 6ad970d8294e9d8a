// Tests that equity written one holding at a time equals the sum of all holdings at the marks of each row.

import { expect, test } from 'vitest';
import { spotInstrument } from '../../test/fixtures/drafts.ts';
import { fillOf } from '../../test/fixtures/fills.ts';
import { inverseContract, linearContract } from '../../test/fixtures/futuresVenue.ts';
import { seededRng } from '../base/number/rng.ts';
import type { Instrument } from '../model/instrument.ts';
import { FuturesLedger } from './futuresLedger.ts';
import type { Ledger } from './ledger.ts';
import { PairedLedger } from './pairedLedger.ts';
import { SpotLedger } from './spotLedger.ts';

const ROWS = 12;
const TERMS = () => ({ leverage: 5, isCross: true, isNet: true });
const COINS = ['BTC', 'ETH', 'SOL'].map((base) => spotInstrument(base, { quoteDigits: 4 }));
const linear = (base: string) => linearContract({ marginDigits: 4 }, { base });

/** A kind of ledger, with a function that returns a new one and the accounts that it consists of. */
type LedgerKind = readonly [name: string, newLedger: () => { ledger: Ledger; accounts: readonly Ledger[] }];
const singleAccount = (ledger: Ledger) => ({ ledger, accounts: [ledger] });
const LEDGER_KINDS: readonly LedgerKind[] = [
  ['coins', () => singleAccount(new SpotLedger(COINS, 1))],
  ['contracts', () => singleAccount(new FuturesLedger([linear('BTC'), linear('ETH'), linear('SOL')], 1, TERMS))],
  ['an inverse contract', () => singleAccount(new FuturesLedger([inverseContract()], 1, TERMS))],
  [
    'both',
    () => {
      const ledger = new PairedLedger([linear('BTC'), linear('ETH'), ...COINS], 1, TERMS);
      return { ledger, accounts: [ledger.futures, ledger.spot] };
    },
  ],
];

test.each(LEDGER_KINDS)('equity written one holding at a time equals the sum of all holdings, for %s', (name, newLedger) => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = seededRng(seed);
    const pick = (below: number) => Math.floor(rng.next() * below);
    const { ledger, accounts } = newLedger();
    for (const account of accounts) account.deposit(0, account.cashAsset, 1e13);
    const { instruments } = ledger;
    instruments.forEach((instrument, index) => {
      if (pick(3) > 0) openPosition(ledger, instrument, index, pick(2) === 0, 1 + pick(2_000), 300_000 + pick(5_000));
    });
    const ticks = instruments.map(() => Int32Array.from({ length: ROWS }, () => 200_000 + pick(200_000)));
    const hasFixedMark = instruments.map(() => pick(3) === 0);
    const fromRow = 2;
    const toRow = 2 + pick(ROWS - 4);
    const offset = pick(3);
    const equityRows = new Float64Array(ROWS).fill(ledger.cashTotal);
    instruments.forEach((_, index) =>
      ledger.addRows(index, equityRows, fromRow, toRow, ticks[index]!, offset, hasFixedMark[index] === true ? 0 : 1),
    );
    const expected = Array.from(equityRows, (_, row) => {
      if (row < fromRow || row >= toRow) return ledger.cashTotal;
      return ledger.equityTotalUnits(ticks.map((marks, index) => marks[hasFixedMark[index] === true ? offset : offset + row - fromRow]!));
    });
    expect([...equityRows], `${name}, seed ${seed}`).toEqual(expected);
  }
});

/** Opens a position: buys, or sells a contract short if `isShort`. */
function openPosition(ledger: Ledger, { market }: Instrument, index: number, isShort: boolean, lots: number, price: number): void {
  const books = ledger instanceof PairedLedger ? ledger.of(index) : ledger;
  const notional = books instanceof FuturesLedger ? books.scale(index).valueOfLots(lots, price) : price * lots;
  ledger.fill(0, index, market === 'spot' || !isShort, fillOf({ lots, price, notional }), false);
}
