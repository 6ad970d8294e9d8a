// Holds the risk states and their causes for each scope: account, market, symbol and strategy. Clearing one cause never clears another.

import { largestOf } from '../../base/number/extremes.ts';
import { compareAscending } from '../../base/text/compareAscending.ts';
import type { Instrument, Market } from '../../model/instrument.ts';

/** The risk states, from the mildest to the most severe. */
export const RISK_STATES = ['RUN', 'HALT_NEW', 'CANCEL_ONLY', 'KILLED'] as const;
/** RUN: everything that the rules allow may be sent. HALT_NEW: only reductions. CANCEL_ONLY and KILLED: no order. */
export type RiskStateName = (typeof RISK_STATES)[number];
/** A risk state in which less than usual may be sent. */
export type HaltState = Exclude<RiskStateName, 'RUN'>;

/** What a halt covers. `instrument` and `strategy` are indexes in the run. */
export type Scope =
  | { readonly kind: 'account' }
  | { readonly kind: 'market'; readonly market: Market }
  | { readonly kind: 'symbol'; readonly instrument: number }
  | { readonly kind: 'strategy'; readonly strategy: number };

/** A reason for a halt. A scope is in the strictest state of its causes. */
export interface HaltCause {
  readonly scope: Scope;
  readonly state: HaltState;
  /** Stable. It identifies the cause within its scope. An order that the cause stops is denied with this code. */
  readonly code: string;
  /** The reason in words, for the operator. */
  readonly why: string;
  readonly sinceMs: number;
}

/** One entry of the log of risk states: raised or cleared. */
export interface HaltChange extends HaltCause {
  readonly isRaised: boolean;
  readonly timeMs: number;
}

/** Number of changes that a board with a listener keeps. */
const MAX_CHANGES = 1000;

/** Length of a reason that names several events, in characters. */
const MAX_REASON_LENGTH = 10_000;

/** How the reason of an operator's change begins; the name follows. */
export const CLEARED_BY = 'cleared by ';

/** The halt causes in force, and the risk states that follow from them. */
export class HaltBoard {
  private readonly instruments: readonly Instrument[];
  /** The most severe risk state, as an index of RISK_STATES: by instrument (with its market and the account), and by strategy. */
  private readonly ofInstrument: Uint8Array;
  private readonly ofStrategy: Uint8Array;
  /** The causes in force. */
  private heldCauses: HaltCause[] = [];
  private readonly recentChanges: HaltChange[] = [];
  private hasCause = false;
  /** Called for each change, at once. A live bot journals it. */
  onChange: ((change: HaltChange) => void) | null = null;
  /** True while a journal is replayed. Then causes come from its records, and calls of `raise` and `clear` have no effect. */
  isReplayed = false;

  constructor(instruments: readonly Instrument[], strategyCount: number) {
    this.instruments = instruments;
    this.ofInstrument = new Uint8Array(instruments.length);
    this.ofStrategy = new Uint8Array(strategyCount);
  }

  /** True when any scope has a cause. */
  get hasAny(): boolean {
    return this.hasCause;
  }
  /** Returns the causes that are in force. */
  causes(): readonly HaltCause[] {
    return this.heldCauses;
  }
  /** Returns every change of the run, oldest first. If a listener records the changes, only the newest are kept. */
  changes(): readonly HaltChange[] {
    return this.recentChanges.toSorted((change, other) => change.timeMs - other.timeMs || byCode(change, other));
  }

  /** Returns the effective state for an order: the most severe of its account, market, symbol and strategy. */
  stateOf(instrumentIndex: number, strategyIndex: number): RiskStateName {
    return RISK_STATES[Math.max(this.ofInstrument[instrumentIndex]!, this.ofStrategy[strategyIndex]!)]!;
  }
  /** Returns the oldest of the most severe causes for an order, or undefined; among equally old ones the first by code. */
  causeOf(instrumentIndex: number, strategyIndex: number): HaltCause | undefined {
    const strictest = this.stateOf(instrumentIndex, strategyIndex);
    const applies = (scope: Scope): boolean =>
      coversInstrument(scope, instrumentIndex, this.instruments) || coversStrategy(scope, strategyIndex);
    const causes = this.heldCauses.filter(({ scope, state }) => state === strictest && applies(scope));
    return causes.toSorted((cause, other) => cause.sinceMs - other.sinceMs || byCode(cause, other))[0];
  }

  /** Adds a cause, or changes the state of the cause with this code. `isNews`: a new reason counts as a change, too. */
  raise(scope: Scope, state: HaltState, code: string, reason: string, nowMs: number, isNews = false): void {
    if (this.isReplayed) return;
    const earlier = this.find(scope, code);
    if (earlier?.state === state && !(isNews && earlier.why !== reason)) return;
    const cause = { scope, state, code, why: reason, sinceMs: earlier?.sinceMs ?? nowMs };
    this.heldCauses = [...this.heldCauses.filter((heldCause) => heldCause !== earlier), cause];
    this.updateStates();
    this.record({ ...cause, isRaised: true, timeMs: nowMs });
  }

  /** Returns `reason`, followed by the earlier reasons of this cause that the operator has not cleared. */
  withEarlier(scope: Scope, code: string, reason: string): string {
    const earlier = this.find(scope, code)?.why ?? '';
    if (earlier.includes(reason)) return earlier;
    return earlier === '' ? reason : `${reason}; before: ${earlier}`.slice(0, MAX_REASON_LENGTH);
  }

  /** Clears a cause. Returns false when it is not in force. `reason` states who or what cleared it. */
  clear(scope: Scope, code: string, reason: string, nowMs: number): boolean {
    if (this.isReplayed) return false;
    const cause = this.find(scope, code);
    if (!cause) return false;
    this.heldCauses = this.heldCauses.filter((heldCause) => heldCause !== cause);
    this.updateStates();
    this.record({ ...cause, why: reason, isRaised: false, timeMs: nowMs });
    return true;
  }

  /** Runs `act`, which applies a change from a journal record. */
  withoutJournal(act: () => void): void {
    this.isReplayed = false;
    act();
    this.isReplayed = true;
  }

  /** True when the scope has a cause with that code. */
  holds(scope: Scope, code: string): boolean {
    return this.find(scope, code) !== undefined;
  }

  private find(scope: Scope, code: string): HaltCause | undefined {
    return this.heldCauses.find((cause) => cause.code === code && isSame(cause.scope, scope));
  }
  /** Keeps a change and reports it to the listener. */
  private record(change: HaltChange): void {
    this.recentChanges.push(change);
    if (this.onChange === null) return;
    if (this.recentChanges.length > MAX_CHANGES) this.recentChanges.shift();
    this.onChange(change);
  }
  /** Computes the most severe states again. */
  private updateStates(): void {
    this.hasCause = this.heldCauses.length > 0;
    const maxSeverity = (isIncluded: (scope: Scope) => boolean): number => {
      const includedCauses = this.heldCauses.filter(({ scope }) => isIncluded(scope));
      return Math.max(0, largestOf(includedCauses.map(({ state }) => RISK_STATES.indexOf(state))));
    };
    for (let index = 0; index < this.ofInstrument.length; index++)
      this.ofInstrument[index] = maxSeverity((scope) => coversInstrument(scope, index, this.instruments));
    for (let index = 0; index < this.ofStrategy.length; index++)
      this.ofStrategy[index] = maxSeverity((scope) => coversStrategy(scope, index));
  }
}

/** True if the scope covers the instrument: the account, its market or the instrument itself. */
function coversInstrument(scope: Scope, instrumentIndex: number, instruments: readonly Instrument[]): boolean {
  if (scope.kind === 'market') return instruments[instrumentIndex]!.market === scope.market;
  return scope.kind === 'account' || (scope.kind === 'symbol' && scope.instrument === instrumentIndex);
}

/** True if the scope is this strategy. */
function coversStrategy(scope: Scope, strategyIndex: number): boolean {
  return scope.kind === 'strategy' && scope.strategy === strategyIndex;
}

/** Compares by code, so that the sequence of causes with the same time does not depend on which one was found first. */
function byCode(cause: HaltCause, other: HaltCause): number {
  return compareAscending(cause.code, other.code);
}

/** True when both scopes cover the same. */
function isSame(scope: Scope, other: Scope): boolean {
  if (scope.kind === 'market') return other.kind === 'market' && scope.market === other.market;
  if (scope.kind === 'symbol') return other.kind === 'symbol' && scope.instrument === other.instrument;
  if (scope.kind === 'strategy') return other.kind === 'strategy' && scope.strategy === other.strategy;
  return other.kind === 'account';
}
