// What the account must hold by its trades: a list that shows no order is believed only where this agrees with what it holds.

import { Decimal } from '../../../base/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Side } from '../../../model/order.ts';
import type { Holding } from './venueCalls.ts';

/** Changes of an asset by a trade, in exact decimals. */
export type Change = readonly [asset: string, by: Decimal];

/** Of a spot trade: what came, what went, and the fee in its coin. */
export function changesOf(
  instrument: Instrument,
  side: Side,
  fill: Pick<Fill, 'lots' | 'notional' | 'fee' | 'feeInBase'>,
): readonly Change[] {
  const { base, quote, quantityDigits, quoteDigits, baseDigits } = instrument;
  const scaled = (value: number, digits: number): Decimal => new Decimal(value).div(Decimal.pow(10, digits));
  const sign = side === 'buy' ? 1 : -1;
  return [
    [base, scaled(sign * fill.lots, quantityDigits)],
    [quote, scaled(-sign * fill.notional, quoteDigits)],
    [fill.feeInBase ? base : quote, scaled(-fill.fee, fill.feeInBase ? baseDigits : quoteDigits)],
  ];
}

/** Totals by asset: as they were read once, and as trades have changed them since. */
export class HoldingBook {
  readonly #expected = new Map<string, Decimal>();
  #isSet = false;

  get isSet(): boolean {
    return this.#isSet;
  }

  /** From here on. Assets that are not named are empty. */
  set(held: readonly Holding[]): void {
    this.#expected.clear();
    this.#isSet = true;
    for (const { asset, total } of held) this.#expected.set(asset, new Decimal(total));
  }
  /** A person has explained a difference: what is held counts anew, from the next reading on. */
  forget(): void {
    this.#isSet = false;
  }
  /** A trade whose changes no reading of the account has shown yet. */
  book(changes: readonly Change[]): void {
    if (!this.#isSet) return;
    for (const [asset, by] of changes) this.#expected.set(asset, this.#of(asset).plus(by));
  }
  /** Of these assets, those of which the account holds something else than it must, each in words. */
  differences(held: readonly Holding[], assets: ReadonlySet<string>): readonly string[] {
    const totals = new Map(held.map(({ asset, total }) => [asset, new Decimal(total)]));
    const differing: string[] = [];
    for (const asset of assets) {
      const found = totals.get(asset) ?? new Decimal(0);
      const expected = this.#of(asset);
      if (!found.eq(expected)) differing.push(`${asset}: the account holds ${found.toFixed()}, its trades make ${expected.toFixed()}`);
    }
    return differing;
  }
  /** For the journal: an asset and its total. */
  entries(): readonly (readonly [string, string])[] {
    return Array.from(this.#expected, ([asset, total]) => [asset, total.toFixed()] as const);
  }

  #of(asset: string): Decimal {
    return this.#expected.get(asset) ?? new Decimal(0);
  }
}

/** Net contracts by instrument, in lots: as they were read once, and as trades have changed them since. */
export class PositionBook {
  readonly #lots: (number | null)[];

  constructor(instruments: number) {
    this.#lots = Array.from({ length: instruments }, () => null);
  }

  lotsOf(instrument: number): number | null {
    return this.#lots[instrument] ?? null;
  }
  forget(): void {
    this.#lots.fill(null);
  }
  set(instrument: number, lots: number): void {
    this.#lots[instrument] = lots;
  }
  book(instrument: number, side: Side, lots: number): void {
    const now = this.#lots[instrument];
    if (now !== null && now !== undefined) this.#lots[instrument] = now + (side === 'buy' ? lots : -lots);
  }
}
