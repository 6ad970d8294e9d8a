// Audits: everything that the exchange shows against everything that we know, the instruments in use often, all of them now and then.

import { forAll } from '../calls/all.ts';
import type { AuditKind, AuditResult, Difference, TroubleCode } from '../calls/parts.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Holdings, Verified } from './holdings.ts';
import type { OrderSettings } from '../calls/settings.ts';
import type { Troubles } from '../order/troubles.ts';

export interface AuditParts {
  readonly scheduler: Scheduler;
  readonly settings: Pick<OrderSettings, 'balanceMs'>;
  readonly troubles: Troubles;
  readonly holdings: Holdings;
  /** A look at one instrument: whether all of it came. */
  readonly look: (instrument: number, options: CallOptions, done: (isWhole: boolean) => void) => void;
  /** Instruments of this market, and those with orders that are not over. */
  readonly own: readonly number[];
  readonly active: () => readonly number[];
  /** What no trouble tells and yet stands against the books: orders of a contested id, second copies that are open. */
  readonly doubts: () => readonly Difference[];
  /** A lower bound of the exchange's time now. */
  readonly venueNow: (done: (ms: number | null) => void) => void;
}

/** What makes an audit a mismatch: it stands until a person, or a later audit, has explained it. */
const MISMATCHES: ReadonlySet<TroubleCode> = new Set(['ALIEN', 'STRAY', 'MISMATCH', 'DUPLICATE', 'ECHO', 'FEE_COIN', 'FINE_FILL']);
const OPTIONS: Readonly<Record<AuditKind, CallOptions>> = { fast: { priority: 'steady' }, full: { priority: 'reconcile' } };

export class Audits {
  readonly #parts: AuditParts;
  #balancedMs = -Infinity;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  run(kind: AuditKind, done: (result: AuditResult) => void): void {
    const { venueNow, own, active } = this.#parts;
    venueNow((venueMs) => {
      if (venueMs === null) return done(gap(0, 'the exchange does not tell its time'));
      const instruments = kind === 'full' ? own : active();
      const one = (index: number, whole: (isWhole: boolean) => void): void => this.#parts.look(index, OPTIONS[kind], whole);
      forAll<number, boolean>(instruments, one, (looks) => {
        const isWhole = looks.every((each) => each);
        if (!this.#isBalanceDue(kind)) return done(this.#result(isWhole, venueMs));
        // On spot every symbol shares the quote asset: what is held is compared with the trades of all.
        this.#parts.holdings.verify(own, OPTIONS[kind], (verified) => {
          this.#judge(verified);
          done(this.#result(isWhole && verified.isWhole, venueMs));
        });
      });
    });
  }

  #isBalanceDue(kind: AuditKind): boolean {
    const { scheduler, settings } = this.#parts;
    // While the books are in doubt, reductions rest on what is held.
    return kind === 'full' || this.#mismatches().length > 0 || scheduler.nowMs - this.#balancedMs >= settings.balanceMs;
  }

  #judge({ isWhole, differences }: Verified): void {
    const { troubles, scheduler } = this.#parts;
    if (!isWhole) return;
    this.#balancedMs = scheduler.nowMs;
    if (differences.length > 0) troubles.raise('MISMATCH', null, differences.join('; '));
    else troubles.over('MISMATCH', null);
  }

  #mismatches(): readonly Difference[] {
    return [...this.#parts.troubles.standing.filter(({ code }) => MISMATCHES.has(code)), ...this.#parts.doubts()];
  }
  #result(isWhole: boolean, venueMs: number): AuditResult {
    const differences = this.#mismatches();
    if (differences.length > 0) return { kind: 'mismatch', differences, isComplete: isWhole, venueMs };
    return isWhole
      ? { kind: 'ok', differences: [], isComplete: true, venueMs }
      : gap(venueMs, 'a list did not come, was cut off or could not be read');
  }
}

function gap(venueMs: number, what: string): AuditResult {
  const differences: Difference[] = [{ code: 'GAP', instrument: null, venueId: null, what }];
  return { kind: 'gap', differences, isComplete: false, venueMs };
}
