// Compares what the account holds with what its trades make of it: totals of assets on spot, net contracts on futures.

import { toScaled } from '../../../base/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { CallOptions } from '../client/restClient.ts';
import { forAll } from './all.ts';
import type { Core } from './core.ts';
import type { Funding } from './funding.ts';
import type { PositionRow } from './rows.ts';
import type { TradesRead } from './tradeReader.ts';

export interface Verified {
  /** False: something did not come, or there is nothing yet to compare with; it proves nothing. */
  readonly isWhole: boolean;
  /** What differs, in words. */
  readonly differences: readonly string[];
}

export interface HoldingsParts {
  readonly core: Core;
  readonly funding: Funding;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions, done: (read: TradesRead) => void) => void;
  /** What is held was found right: worth a note. */
  readonly agreed: () => void;
}

/** What is held as it was read once. */
interface Snapshot {
  /** Equal where the same is held. */
  readonly signature: string;
  /** What differs from what the trades make of it; null: there is nothing yet to compare with. */
  differences(): readonly string[] | null;
  /** What is held counts from here on. */
  adopt(): void;
}

const NOTHING: Verified = { isWhole: false, differences: [] };
const MOST_TRIES = 4;
const LOOK_BACK_MS = 3_600_000;

export class Holdings {
  readonly #parts: HoldingsParts;

  constructor(parts: HoldingsParts) {
    this.#parts = parts;
  }

  /**
   * Trades first, then what is held. A difference may be a trade that no list shows yet: it counts only where the same is held once more
   * after the read lag, with all trades read in between. So it is with a beginning.
   */
  verify(instruments: readonly number[], options: CallOptions, done: (verified: Verified) => void): void {
    this.#try(instruments, options, { attempt: 1, before: null }, done);
  }

  #try(
    instruments: readonly number[],
    options: CallOptions,
    { attempt, before }: { readonly attempt: number; readonly before: string | null },
    done: (verified: Verified) => void,
  ): void {
    const { own, lagMs, venueMs, parts } = this.#parts.core;
    const { market, scheduler } = parts;
    const judged = (snapshot: Snapshot | null): void => {
      if (snapshot === null) return done(NOTHING);
      const differences = snapshot.differences();
      const isSame = snapshot.signature === before;
      if (differences === null && isSame) snapshot.adopt();
      if (differences?.length === 0 || (differences === null && isSame)) {
        this.#parts.agreed();
        return done({ isWhole: true, differences: [] });
      }
      if (isSame && differences !== null) return done({ isWhole: true, differences });
      if (attempt === MOST_TRIES) return done(NOTHING);
      const next = { attempt: attempt + 1, before: snapshot.signature };
      scheduler.at(scheduler.nowMs + Math.ceil(lagMs()), () => this.#try(instruments, options, next, done));
    };
    // What differs may be a trade that was visible too late for the readings of its time.
    const sinceMs = attempt === 1 ? Infinity : venueMs() - LOOK_BACK_MS;
    this.#tradesOf(attempt === 1 ? instruments : own, sinceMs, options, (isWhole) => {
      if (!isWhole) return done(NOTHING);
      if (market === 'spot') this.#assets(instruments, options, judged);
      else this.#contracts(instruments, options, judged);
    });
  }

  #tradesOf(instruments: readonly number[], sinceMs: number, options: CallOptions, done: (isWhole: boolean) => void): void {
    forAll<number, TradesRead>(
      instruments,
      (index, one) => this.#parts.readTrades(index, sinceMs, options, one),
      (reads) => done(reads.every(({ isWhole, strays }) => isWhole && strays === 0)),
    );
  }
  /** Some order may have had an effect that nobody knows of: what is held now is no beginning. */
  #isUnsure(): boolean {
    const { own, tracks } = this.#parts.core;
    return own.some((index) => Array.from(tracks.openOf(index)).some(({ stage }) => stage === 'sent' || stage === 'unknown'));
  }

  #assets(instruments: readonly number[], options: CallOptions, done: (snapshot: Snapshot | null) => void): void {
    const { venue, holdings, parts } = this.#parts.core;
    const assets = new Set(instruments.flatMap((index) => [parts.instruments[index]!.base, parts.instruments[index]!.quote]));
    venue.holdings(options, (held) => {
      if (held === null || (!holdings.isSet && this.#isUnsure())) return done(null);
      done({
        signature: held.map(({ asset, total }) => `${asset} ${total}`).join(' '),
        differences: () => (holdings.isSet ? holdings.differences(held, assets) : null),
        adopt: () => holdings.set(held),
      });
    });
  }

  #contracts(instruments: readonly number[], options: CallOptions, done: (snapshot: Snapshot | null) => void): void {
    const { venue, positions, parts } = this.#parts.core;
    const nets: (readonly [index: number, lots: number])[] = [];
    const left = [...instruments];
    const next = (): void => {
      const index = left.shift();
      if (index === undefined) return done(this.#positionsOf(nets));
      venue.positions(parts.instruments[index]!, options, (page) => {
        const lots = page?.isWhole === true ? netLots(page.rows, parts.instruments[index]!) : null;
        if (page === null || lots === null || (positions.lotsOf(index) === null && this.#isUnsure())) return done(null);
        this.#parts.funding.take(index, page.rows);
        nets.push([index, lots]);
        next();
      });
    };
    next();
  }
  #positionsOf(nets: readonly (readonly [index: number, lots: number])[]): Snapshot {
    const { positions, parts } = this.#parts.core;
    const differing = (): readonly string[] =>
      nets.flatMap(([index, lots]) => {
        const expected = positions.lotsOf(index);
        return expected === lots
          ? []
          : [`${parts.instruments[index]!.wireName}: the position is ${lots} lots, its trades make ${expected ?? 'nothing'}`];
      });
    return {
      signature: nets.map((each) => each.join(' ')).join(', '),
      differences: () => (nets.some(([index]) => positions.lotsOf(index) === null) ? null : differing()),
      adopt: () => nets.forEach(([index, lots]) => positions.set(index, lots)),
    };
  }
}

/** Longs less shorts, in lots; null where a volume is finer than a lot. */
export function netLots(rows: readonly PositionRow[], { quantityDigits }: Instrument): number | null {
  let net = 0;
  for (const { side, volume } of rows) {
    const lots = toScaled(volume, quantityDigits);
    if (lots === null) return null;
    net += side === 'buy' ? Math.abs(lots) : -Math.abs(lots);
  }
  return net;
}
