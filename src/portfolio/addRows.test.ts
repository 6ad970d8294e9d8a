// Equity that is written one holding at a time equals the sum of all holdings at the marks of each row, for coins, contracts and both.

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

type Make = readonly [name: string, make: () => { ledger: Ledger; accounts: readonly Ledger[] }];
const alone = (ledger: Ledger) => ({ ledger, accounts: [ledger] });
const KINDS: readonly Make[] = [
  ['coins', () => alone(new SpotLedger(COINS, 1))],
  ['contracts', () => alone(new FuturesLedger([linear('BTC'), linear('ETH'), linear('SOL')], 1, TERMS))],
  ['an inverse contract', () => alone(new FuturesLedger([inverseContract()], 1, TERMS))],
  [
    'both',
    () => {
      const ledger = new PairedLedger([linear('BTC'), linear('ETH'), ...COINS], 1, TERMS);
      return { ledger, accounts: [ledger.futures, ledger.spot] };
    },
  ],
];

test.each(KINDS)('%s', (name, make) => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = seededRng(seed);
    const pick = (below: number) => Math.floor(rng.next() * below);
    const { ledger, accounts } = make();
    for (const account of accounts) account.deposit(0, account.cashAsset, 1e13);
    const { instruments } = ledger;
    instruments.forEach((instrument, index) => {
      if (pick(3) > 0) buy(ledger, instrument, index, pick(2) === 0, 1 + pick(2_000), 300_000 + pick(5_000));
    });
    const ticks = instruments.map(() => Int32Array.from({ length: ROWS }, () => 200_000 + pick(200_000)));
    const stands = instruments.map(() => pick(3) === 0);
    const [from, to, offset] = [2, 2 + pick(ROWS - 4), pick(3)];
    const out = new Float64Array(ROWS).fill(ledger.cashTotal);
    instruments.forEach((_, index) => ledger.addRows(index, out, from, to, ticks[index]!, offset, stands[index] === true ? 0 : 1));
    const wanted = Array.from(out, (_, at) => {
      if (at < from || at >= to) return ledger.cashTotal;
      return ledger.equityTotalUnits(ticks.map((of, index) => of[stands[index] === true ? offset : offset + at - from]!));
    });
    expect([...out], `${name}, seed ${seed}`).toEqual(wanted);
  }
});

/** Coins are only bought; a contract may also be sold short. */
function buy(ledger: Ledger, { market }: Instrument, index: number, isShort: boolean, lots: number, price: number): void {
  const books = ledger instanceof PairedLedger ? ledger.of(index) : ledger;
  const notional = books instanceof FuturesLedger ? books.scale(index).valueOfLots(lots, price) : price * lots;
  ledger.fill(0, index, market === 'spot' || !isShort, fillOf({ lots, price, notional }), false);
}
