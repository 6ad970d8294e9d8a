// Audits the account: compares the venue's lists with our records. A fast audit reads active instruments only, a full audit reads all.

import { all, type Work } from '../../../base/task.ts';
import { shortList } from '../../../base/text/shortList.ts';
import type { AuditKind, AuditResult, AuditDifference, HaltCode } from '../calls/types.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { ExchangeContext } from '../order/exchangeContext.ts';
import type { HoldingsCheck, Verified } from './holdingsCheck.ts';

/** What the audits take. */
export interface AuditsDeps {
  readonly context: Pick<ExchangeContext, 'deps' | 'ownInstruments' | 'raisedCauses'>;
  readonly holdings: HoldingsCheck;
  /** Reconciles one instrument. Returns true if every list was complete. */
  readonly reconcile: (instrumentIndex: number, options: CallOptions) => Work<boolean>;
  /** Indices of this market's instruments that have unfinished orders. */
  readonly active: () => readonly number[];
  /** Differences without a halt cause of their own: orders with a contested id, and open duplicate orders. */
  readonly uncertainties: () => readonly AuditDifference[];
  /** Reads a lower bound of the venue's current time, or null. */
  readonly venueNow: () => Work<number | null>;
}

/** Halt causes with which an audit is a mismatch. Each stays until the operator or a later audit clears it. */
const MISMATCH_CODES: ReadonlySet<HaltCode> = new Set([
  'ALIEN',
  'STRAY',
  'MISMATCH',
  'DUPLICATE',
  'ECHO',
  'FEE_COIN',
  'FINE_FILL',
  'POST_TRADE',
]);
const CALL_OPTIONS: Readonly<Record<AuditKind, CallOptions>> = { fast: { priority: 'steady' }, full: { priority: 'reconcile' } };

/** Runs the audits of one market, and raises or clears the halt causes that follow from them. */
export class Audits {
  readonly #deps: AuditsDeps;
  #comparedMs = -Infinity;

  constructor(deps: AuditsDeps) {
    this.#deps = deps;
  }

  /** Audits the account and returns the result. */
  *run(kind: AuditKind): Work<AuditResult> {
    const { context, venueNow, active, reconcile, holdings } = this.#deps;
    const { ownInstruments } = context;
    const venueMs = yield* venueNow();
    if (venueMs === null) return gap(0, 'the exchange does not report its time');
    const instruments = kind === 'full' ? ownInstruments : active();
    const listsComplete = yield* all(instruments.map((index) => reconcile(index, CALL_OPTIONS[kind])));
    const incompleteSymbols = instruments
      .filter((_, position) => !listsComplete[position])
      .map((index) => context.deps.instruments[index]!.wireName);
    if (!this.#isBalanceDue(kind)) return this.#result(incompleteSymbols, venueMs);
    // On spot, instruments share quote assets, so holdings are compared with the trades of all instruments.
    const verified = yield* holdings.verify(ownInstruments, CALL_OPTIONS[kind]);
    this.#reportDifferences(verified);
    return this.#result(verified.isComplete ? incompleteSymbols : [...incompleteSymbols, 'the account'], venueMs);
  }

  #isBalanceDue(kind: AuditKind): boolean {
    const { scheduler, settings } = this.#deps.context.deps;
    // While the books are in doubt, reductions depend on what the account really holds.
    return kind === 'full' || this.#mismatches().length > 0 || scheduler.nowMs - this.#comparedMs >= settings.balanceMs;
  }

  #reportDifferences({ isComplete, differences }: Verified): void {
    const { raisedCauses, deps } = this.#deps.context;
    if (!isComplete) return;
    this.#comparedMs = deps.scheduler.nowMs;
    if (differences.length > 0) raisedCauses.raise('MISMATCH', null, differences.join('; '));
    else raisedCauses.clearIfAllowed('MISMATCH', null);
  }

  #mismatches(): readonly AuditDifference[] {
    return [...this.#deps.context.raisedCauses.raisedNow.filter(({ code }) => MISMATCH_CODES.has(code)), ...this.#deps.uncertainties()];
  }
  /** Returns the result. `incomplete`: symbols with a list that is incomplete, and `the account` if its balances are. */
  #result(incomplete: readonly string[], venueMs: number): AuditResult {
    const differences = this.#mismatches();
    const isComplete = incomplete.length === 0;
    if (differences.length > 0) return { kind: 'mismatch', differences, isComplete, venueMs };
    return isComplete
      ? { kind: 'ok', differences: [], isComplete: true, venueMs }
      : gap(venueMs, `lists of ${shortList(incomplete)} did not come, were cut off or could not be read`);
  }
}

function gap(venueMs: number, detail: string): AuditResult {
  const differences: AuditDifference[] = [{ code: 'GAP', instrument: null, venueId: null, what: detail }];
  return { kind: 'gap', differences, isComplete: false, venueMs };
}
