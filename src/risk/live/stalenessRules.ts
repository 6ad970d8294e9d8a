// Live rules on ages and certainty: prices, bars, audits, the clock, the operator's presence. Each clears by itself.

import type { Ledger } from '../../portfolio/ledger.ts';
import type { Scope } from './halts.ts';
import { ACCOUNT, type LiveFacts, type LiveRule, type LiveWatch, type Raiser } from './liveWatch.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import { lotsText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** False for an unknown age (NaN), which counts as too old. */
const isWithin = (ageMs: number, maxMs: number): boolean => maxMs === INFINITY || ageMs <= maxMs;

/** Number of good prices in a row, each newer than the one before, after which data count as fresh again. */
const GOOD_UPDATES = 3;
/** Multiple of the limit without an audit from which on only cancels may be sent. */
const AUDIT_SECOND_STEP = 10;
/** Number of orders in a row that the exchange refuses for their time. */
const MAX_TIME_REFUSALS = 3;

class DataWatch implements LiveWatch {
  private readonly limits: ResolvedLimits;
  private readonly raiser: Raiser;
  private readonly good: number[] = [];
  private readonly newest: number[] = [];

  constructor(limits: ResolvedLimits, raiser: Raiser) {
    this.limits = limits;
    this.raiser = raiser;
  }
  tick(facts: LiveFacts, nowMs: number): void {
    for (let index = 0; index < facts.instruments; index++) {
      const why = this.flaw(facts, index, nowMs);
      const scope: Scope = { kind: 'symbol', instrument: index };
      if (why !== null) {
        this.good[index] = 0;
        this.raiser.raise(scope, why, nowMs);
        continue;
      }
      const at = Math.max(facts.priceMs(index) || -INFINITY, facts.barCloseMs(index) || -INFINITY);
      if (at > (this.newest[index] ?? -INFINITY)) this.good[index] = (this.good[index] ?? GOOD_UPDATES) + 1;
      this.newest[index] = at;
      if ((this.good[index] ?? 0) >= GOOD_UPDATES) this.raiser.clear(scope, nowMs);
    }
  }
  private flaw(facts: LiveFacts, index: number, nowMs: number): string | null {
    const { priceAgeMs, barAge } = this.limits;
    const age = nowMs - facts.priceMs(index);
    if (!isWithin(age, priceAgeMs)) return `the newest price is ${age} ms old, at most ${priceAgeMs}`;
    const bars = (nowMs - facts.barCloseMs(index)) / facts.barLengthMs(index);
    if (barAge !== null && !(bars * barAge.denominator <= barAge.numerator)) return `the newest bar is ${bars.toFixed(2)} intervals old`;
    return facts.isSound(index) ? null : 'the newest price is not sound';
  }
}

export const staleData: LiveRule = {
  kind: 'live',
  code: 'STALE_DATA',
  keys: ['maxPriceAgeMs', 'maxBarAge'],
  needs: ['liveEvidence'],
  watch: (limits, _, raiser) => new DataWatch(limits, raiser),
};

export const staleAccount: LiveRule = {
  kind: 'live',
  code: 'STALE_ACCOUNT',
  keys: ['maxAuditAgeMs'],
  needs: ['liveEvidence'],
  watch: ({ auditAgeMs }, _, raiser) => ({
    tick({ auditMs }, nowMs) {
      const age = nowMs - auditMs;
      if (isWithin(age, auditAgeMs)) raiser.clear(ACCOUNT, nowMs);
      else {
        const state = age > AUDIT_SECOND_STEP * auditAgeMs ? 'CANCEL_ONLY' : 'HALT_NEW';
        raiser.raise(ACCOUNT, `the last complete audit is ${age} ms old, at most ${auditAgeMs}`, nowMs, state);
      }
    },
  }),
};

/** The code of an order that came too late, or too early, by the exchange's clock. */
const BAD_TIME = '-1021';

class ClockWatch implements LiveWatch {
  private readonly max: number;
  private readonly raiser: Raiser;
  private refusals = 0;
  private errorMs = INFINITY;

  constructor({ clockErrorMs }: ResolvedLimits, raiser: Raiser) {
    this.max = clockErrorMs;
    this.raiser = raiser;
  }
  tick({ clockErrorMs }: LiveFacts, nowMs: number): void {
    // The uncertainty only grows between measurements, so a fall means a new measurement.
    if (clockErrorMs < this.errorMs) this.refusals = 0;
    this.errorMs = clockErrorMs;
    if (!isWithin(clockErrorMs, this.max))
      this.raiser.raise(ACCOUNT, `the clock of the exchange is known to ${clockErrorMs} ms, at most ${this.max}`, nowMs);
    else if (this.refusals < MAX_TIME_REFUSALS) this.raiser.clear(ACCOUNT, nowMs);
  }
  refused(_: unknown, code: string, nowMs: number): void {
    this.refusals = code === BAD_TIME ? this.refusals + 1 : 0;
    if (this.refusals >= MAX_TIME_REFUSALS)
      this.raiser.raise(ACCOUNT, `${this.refusals} orders in a row were refused for their time`, nowMs);
  }
}

export const clock: LiveRule = {
  kind: 'live',
  code: 'CLOCK',
  keys: ['maxClockErrorMs'],
  needs: ['liveEvidence'],
  watch: (limits, _, raiser) => new ClockWatch(limits, raiser),
};

export const deadMan: LiveRule = {
  kind: 'live',
  code: 'DEAD_MAN',
  keys: ['maxHeartbeatAgeMs', 'maxAlertAgeMs'],
  needs: ['liveEvidence'],
  watch: ({ heartbeatAgeMs, alertAgeMs }, _, raiser) => ({
    tick(facts, nowMs) {
      const [silence, unanswered] = [nowMs - facts.heartbeatMs, nowMs - facts.alertMs];
      const isSilent = !isWithin(silence, heartbeatAgeMs);
      if (!isSilent && isWithin(unanswered, alertAgeMs)) return raiser.clear(ACCOUNT, nowMs);
      const isLong = silence > 2 * heartbeatAgeMs || unanswered > 2 * alertAgeMs;
      const why = isSilent ? `no sign of life for ${silence} ms` : `an alert is unanswered for ${unanswered} ms`;
      raiser.raise(ACCOUNT, why, nowMs, isLong ? 'CANCEL_ONLY' : 'HALT_NEW');
    },
  }),
};

/** Since when a part of each position has had no stop. */
class UnprotectedTimer {
  private readonly ledger: Ledger;
  private readonly since: number[] = [];

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }
  /** Returns the unprotected lots of an instrument, and for how many ms; dust that no order can close is not counted. */
  observe(facts: LiveFacts, index: number, nowMs: number): { readonly lots: number; readonly ms: number } {
    const lots = facts.heldLots(index) - facts.guardedLots(index);
    if (lots < this.ledger.instruments[index]!.minLots) this.since[index] = INFINITY;
    else if (!(this.since[index]! < INFINITY)) this.since[index] = nowMs;
    return { lots, ms: nowMs - this.since[index]! };
  }
}

export const naked: LiveRule = {
  kind: 'live',
  code: 'NAKED',
  keys: ['maxNakedMs'],
  needs: ['ledger', 'liveEvidence'],
  watch({ nakedMs }, ledger, raiser) {
    const nakedness = new UnprotectedTimer(ledger);
    return {
      tick(facts, nowMs) {
        for (let index = 0; index < facts.instruments; index++) {
          const scope: Scope = { kind: 'symbol', instrument: index };
          const { lots, ms } = nakedness.observe(facts, index, nowMs);
          if (isWithin(ms, nakedMs)) raiser.clear(scope, nowMs);
          else raiser.raise(scope, `${lotsText(lots, ledger.instruments[index]!)} have had no stop for ${ms} ms`, nowMs);
        }
      },
    };
  },
};

/** Code of a position that is being closed because it is unprotected. */
export const NAKED_EXIT = 'NAKED_EXIT';

/** Raised again after each such period while lots are left: each time is an attempt to close them. */
export const nakedExit: LiveRule = {
  kind: 'live',
  code: NAKED_EXIT,
  keys: ['maxNakedExitMs'],
  needs: ['ledger', 'liveEvidence'],
  watch({ nakedExitMs }, ledger, raiser) {
    const nakedness = new UnprotectedTimer(ledger);
    const attempts: number[] = [];
    return {
      tick(facts, nowMs) {
        for (let index = 0; index < facts.instruments; index++) {
          const scope: Scope = { kind: 'symbol', instrument: index };
          const { lots, ms } = nakedness.observe(facts, index, nowMs);
          const due = isWithin(ms, nakedExitMs) ? 0 : Math.floor(ms / nakedExitMs);
          if (due === (attempts[index] ?? 0)) continue;
          attempts[index] = due;
          raiser.clear(scope, nowMs);
          if (due > 0)
            raiser.raise(
              scope,
              `${lotsText(lots, ledger.instruments[index]!)} have had no stop for ${ms} ms: the position is being closed`,
              nowMs,
            );
        }
      },
    };
  },
};
