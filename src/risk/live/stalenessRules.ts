// Live rules on the age of prices, bars, audits and the operator's presence, on the clock, and on unprotected positions. All clear by
// themselves.

import type { Ledger } from '../../portfolio/ledger.ts';
import type { Scope } from './halts.ts';
import { ACCOUNT, type LiveFacts, type LiveRule, type LiveWatch, type Raiser } from './liveWatch.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import { lotsText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** True if the age is within the limit. An unknown age (NaN) counts as too old. */
const isWithin = (ageMs: number, maxMs: number): boolean => maxMs === INFINITY || ageMs <= maxMs;

/** After this many good prices in a row, each newer than the one before, data count as fresh again. */
const GOOD_UPDATES = 3;
/** From this multiple of the maximum age of an audit on, only cancels may be sent. */
const CANCEL_ONLY_FACTOR = 10;
/** After this many orders in a row that the exchange refused for their time, the clock counts as wrong. */
const MAX_TIME_REFUSALS = 3;

/** Watches the age of prices and bars of each instrument. A halt ends after a few good prices in a row. */
class DataWatch implements LiveWatch {
  private readonly limits: ResolvedLimits;
  private readonly raiser: Raiser;
  /** By instrument: number of good prices since the last bad one. */
  private readonly goodUpdates: number[] = [];
  /** By instrument: time of the newest price or bar. */
  private readonly newestMs: number[] = [];

  constructor(limits: ResolvedLimits, raiser: Raiser) {
    this.limits = limits;
    this.raiser = raiser;
  }
  tick(facts: LiveFacts, nowMs: number): void {
    for (let instrumentIndex = 0; instrumentIndex < facts.instruments; instrumentIndex++) {
      const reason = this.problem(facts, instrumentIndex, nowMs);
      const scope: Scope = { kind: 'symbol', instrument: instrumentIndex };
      if (reason !== null) {
        this.goodUpdates[instrumentIndex] = 0;
        this.raiser.raise(scope, reason, nowMs);
        continue;
      }
      const newestMs = Math.max(facts.priceMs(instrumentIndex) || -INFINITY, facts.barCloseMs(instrumentIndex) || -INFINITY);
      const isUpdate = newestMs > (this.newestMs[instrumentIndex] ?? -INFINITY);
      if (isUpdate) this.goodUpdates[instrumentIndex] = (this.goodUpdates[instrumentIndex] ?? GOOD_UPDATES) + 1;
      this.newestMs[instrumentIndex] = newestMs;
      if ((this.goodUpdates[instrumentIndex] ?? 0) >= GOOD_UPDATES) this.raiser.clear(scope, nowMs);
    }
  }
  /** Returns why the market data of an instrument is too old or not sound; null if it is neither. */
  private problem(facts: LiveFacts, instrumentIndex: number, nowMs: number): string | null {
    const { priceAgeMs, barAge } = this.limits;
    const ageMs = nowMs - facts.priceMs(instrumentIndex);
    if (!isWithin(ageMs, priceAgeMs)) return `the newest price is ${ageMs} ms old, at most ${priceAgeMs}`;
    const ageBars = (nowMs - facts.barCloseMs(instrumentIndex)) / facts.barLengthMs(instrumentIndex);
    const isBarTooOld = barAge !== null && !(ageBars * barAge.denominator <= barAge.numerator);
    if (isBarTooOld) return `the newest bar is ${ageBars.toFixed(2)} intervals old`;
    return facts.isSound(instrumentIndex) ? null : 'the newest price is not sound';
  }
}

/** Halts a symbol while its newest price or its newest closed bar is too old, or its price is not sound. */
export const staleDataRule: LiveRule = {
  kind: 'live',
  code: 'STALE_DATA',
  keys: ['maxPriceAgeMs', 'maxBarAge'],
  needs: ['liveEvidence'],
  watch: (limits, _, raiser) => new DataWatch(limits, raiser),
};

/** Halts the account while its last complete audit is too old. At ten times that age only cancels may be sent. */
export const staleAccountRule: LiveRule = {
  kind: 'live',
  code: 'STALE_ACCOUNT',
  keys: ['maxAuditAgeMs'],
  needs: ['liveEvidence'],
  watch: ({ auditAgeMs }, _, raiser) => ({
    tick({ auditMs }, nowMs) {
      const ageMs = nowMs - auditMs;
      if (isWithin(ageMs, auditAgeMs)) raiser.clear(ACCOUNT, nowMs);
      else {
        const state = ageMs > CANCEL_ONLY_FACTOR * auditAgeMs ? 'CANCEL_ONLY' : 'HALT_NEW';
        raiser.raise(ACCOUNT, `the last complete audit is ${ageMs} ms old, at most ${auditAgeMs}`, nowMs, state);
      }
    },
  }),
};

/** The exchange's code for an order that arrived too late, or too early, by its clock. */
const BAD_TIME_CODE = '-1021';

/** Watches the uncertainty of the clock offset, and the orders that the exchange refused for their time. */
class ClockWatch implements LiveWatch {
  private readonly maxErrorMs: number;
  private readonly raiser: Raiser;
  /** Number of orders in a row that were refused for their time. */
  private refusals = 0;
  private errorMs = INFINITY;

  constructor({ clockErrorMs }: ResolvedLimits, raiser: Raiser) {
    this.maxErrorMs = clockErrorMs;
    this.raiser = raiser;
  }
  tick({ clockErrorMs }: LiveFacts, nowMs: number): void {
    // The uncertainty only grows between measurements, so a fall means a new measurement.
    if (clockErrorMs < this.errorMs) this.refusals = 0;
    this.errorMs = clockErrorMs;
    if (!isWithin(clockErrorMs, this.maxErrorMs))
      this.raiser.raise(ACCOUNT, `the clock of the exchange is known to ${clockErrorMs} ms, at most ${this.maxErrorMs}`, nowMs);
    else if (this.refusals < MAX_TIME_REFUSALS) this.raiser.clear(ACCOUNT, nowMs);
  }
  refused(_: unknown, code: string, nowMs: number): void {
    this.refusals = code === BAD_TIME_CODE ? this.refusals + 1 : 0;
    if (this.refusals >= MAX_TIME_REFUSALS)
      this.raiser.raise(ACCOUNT, `${this.refusals} orders in a row were refused for their time`, nowMs);
  }
}

/** Halts the account while the offset of the exchange's clock is not known well enough. */
export const clockRule: LiveRule = {
  kind: 'live',
  code: 'CLOCK',
  keys: ['maxClockErrorMs'],
  needs: ['liveEvidence'],
  watch: (limits, _, raiser) => new ClockWatch(limits, raiser),
};

/** Halts the account while the operator shows no presence, or leaves an alert unanswered. At twice the time only cancels may be sent. */
export const deadManRule: LiveRule = {
  kind: 'live',
  code: 'DEAD_MAN',
  keys: ['maxHeartbeatAgeMs', 'maxAlertAgeMs'],
  needs: ['liveEvidence'],
  watch: ({ heartbeatAgeMs, alertAgeMs }, _, raiser) => ({
    tick(facts, nowMs) {
      const silenceMs = nowMs - facts.heartbeatMs;
      const unansweredMs = nowMs - facts.alertMs;
      const isSilent = !isWithin(silenceMs, heartbeatAgeMs);
      if (!isSilent && isWithin(unansweredMs, alertAgeMs)) return raiser.clear(ACCOUNT, nowMs);
      const isOverdue = silenceMs > 2 * heartbeatAgeMs || unansweredMs > 2 * alertAgeMs;
      const reason = isSilent ? `no sign of life for ${silenceMs} ms` : `an alert is unanswered for ${unansweredMs} ms`;
      raiser.raise(ACCOUNT, reason, nowMs, isOverdue ? 'CANCEL_ONLY' : 'HALT_NEW');
    },
  }),
};

/** Measures how long a part of each position has had no stop. */
class UnprotectedTimer {
  private readonly ledger: Ledger;
  /** By instrument: since when it is unprotected; Infinity while it is not. */
  private readonly sinceMs: number[] = [];

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }
  /**
   * Returns the unprotected lots of an instrument, and for how many ms they were unprotected. Dust below the smallest order does not count.
   */
  observe(facts: LiveFacts, instrumentIndex: number, nowMs: number): { readonly lots: number; readonly ms: number } {
    const lots = facts.heldLots(instrumentIndex) - facts.guardedLots(instrumentIndex);
    if (lots < this.ledger.instruments[instrumentIndex]!.minLots) this.sinceMs[instrumentIndex] = INFINITY;
    else if (!(this.sinceMs[instrumentIndex]! < INFINITY)) this.sinceMs[instrumentIndex] = nowMs;
    return { lots, ms: nowMs - this.sinceMs[instrumentIndex]! };
  }
}

/** Halts a symbol while a part of its position has had no stop for too long. */
export const nakedRule: LiveRule = {
  kind: 'live',
  code: 'NAKED',
  keys: ['maxNakedMs'],
  needs: ['ledger', 'liveEvidence'],
  watch({ nakedMs }, ledger, raiser) {
    const unprotected = new UnprotectedTimer(ledger);
    return {
      tick(facts, nowMs) {
        for (let instrumentIndex = 0; instrumentIndex < facts.instruments; instrumentIndex++) {
          const scope: Scope = { kind: 'symbol', instrument: instrumentIndex };
          const { lots, ms } = unprotected.observe(facts, instrumentIndex, nowMs);
          if (isWithin(ms, nakedMs)) raiser.clear(scope, nowMs);
          else raiser.raise(scope, `${lotsText(lots, ledger.instruments[instrumentIndex]!)} have had no stop for ${ms} ms`, nowMs);
        }
      },
    };
  },
};

/** The halt code of a position that is being closed because it is unprotected. */
export const NAKED_EXIT = 'NAKED_EXIT';

/** Closes unprotected positions. The cause is raised again after each period while lots are left, and each time they are closed again. */
export const nakedExitRule: LiveRule = {
  kind: 'live',
  code: NAKED_EXIT,
  keys: ['maxNakedExitMs'],
  needs: ['ledger', 'liveEvidence'],
  watch({ nakedExitMs }, ledger, raiser) {
    const unprotected = new UnprotectedTimer(ledger);
    /** By instrument: the number of attempts to close that were made. */
    const attempts: number[] = [];
    return {
      tick(facts, nowMs) {
        for (let instrumentIndex = 0; instrumentIndex < facts.instruments; instrumentIndex++) {
          const scope: Scope = { kind: 'symbol', instrument: instrumentIndex };
          const { lots, ms } = unprotected.observe(facts, instrumentIndex, nowMs);
          const dueAttempts = isWithin(ms, nakedExitMs) ? 0 : Math.floor(ms / nakedExitMs);
          if (dueAttempts === (attempts[instrumentIndex] ?? 0)) continue;
          attempts[instrumentIndex] = dueAttempts;
          raiser.clear(scope, nowMs);
          if (dueAttempts === 0) continue;
          const unprotectedText = lotsText(lots, ledger.instruments[instrumentIndex]!);
          raiser.raise(scope, `${unprotectedText} have had no stop for ${ms} ms: the position is being closed`, nowMs);
        }
      },
    };
  },
};
