// Resolves an order with an unknown outcome: reads in a fixed order prove it placed or absent, and time alone never does (order-safety,
// section 7). Pure.

import type { Market } from '../../model/instrument.ts';
import type { VenueOrderId } from '../../model/order.ts';
import type { Channel, Evidence } from '../../ports/exchange.ts';
import type { AbsenceBounds } from './absenceBounds.ts';
import { proofGuards } from './guards.ts';

export { REPLAY_ABSENCE_BOUNDS, type AbsenceBounds } from './absenceBounds.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** The result of the reads up to now: the order is proven placed or absent, or another read is needed. */
export type ResolutionStep =
  | { readonly kind: 'placed'; readonly venueId: VenueOrderId | null }
  | { readonly kind: 'noEffect' }
  /** Undecided: read `channel` next, after `waitMs`. `human`: why the operator must act now; null while reads may still decide. */
  | { readonly kind: 'read'; readonly channel: Channel; readonly waitMs: number; readonly human: string | null };

/** One read of a round. */
interface RoundStep {
  readonly channel: Channel;
  /** True for a list of orders or trades, which may show the order; false for a balance, which must agree with the ledger. */
  readonly isList: boolean;
  /** True when the read must wait for the read lag after the step before. */
  readonly waitsForLag: boolean;
}

/**
 * Orders only move from open to done, so open orders are read first, done orders second and balances last. In the reverse order, an order
 * that fills between the two reads would be in neither list.
 */
const ROUNDS: Readonly<Record<Market, readonly RoundStep[]>> = {
  spot: [
    { channel: 'openOrders', isList: true, waitsForLag: false },
    { channel: 'myTrades', isList: true, waitsForLag: true },
    { channel: 'balances', isList: false, waitsForLag: false },
  ],
  futures: [
    { channel: 'openOrders', isList: true, waitsForLag: false },
    { channel: 'orderHistory', isList: true, waitsForLag: true },
    { channel: 'myTrades', isList: true, waitsForLag: true },
    { channel: 'positions', isList: false, waitsForLag: false },
  ],
};
const ROUNDS_FOR_NO_EFFECT = proofGuards.twoRounds ? 2 : 1;

/**
 * Resolves one order with an unknown outcome. `placed` needs one list that shows the order. `noEffect` needs two rounds of complete reads
 * after the absence horizon, in the fixed order and at least the read lag apart.
 */
export class Resolution {
  private readonly round: readonly RoundStep[];
  /** The latest time at which its request can have been signed. */
  private signMs: number;
  private epoch: number;
  /** The largest values of D and L while this order was open. */
  private visibilityDelayMs = 0;
  private readLagMs = 0;
  /** Position of the next step in the round. */
  private stepIndex = 0;
  /** True while this round can still prove that the order is absent. */
  private canProveAbsence = true;
  /** The number of finished rounds that count as proof of absence. */
  private provingRounds = 0;
  /** True once a complete round has found holdings that differ from the ledger. */
  private hasHoldingsMismatch = false;
  /** The venue time before which the next read does not count. */
  private notBeforeMs = -INFINITY;
  /** The latest venue time of a read. */
  private latestReadMs = -INFINITY;

  constructor(market: Market, signMs: number, epoch = 0) {
    this.round = ROUNDS[market];
    this.signMs = signMs;
    this.epoch = epoch;
  }

  /** The channel to read first. */
  get first(): Channel {
    return this.round[0]!.channel;
  }

  /** Adds a read and returns the next step. `isBlocked`: the instrument has an unattributed fill (STRAY), so no round proves anything. */
  applyEvidence(evidence: Evidence, bounds: AbsenceBounds, isBlocked = false): ResolutionStep {
    const step = this.round[this.stepIndex]!;
    if (evidence.found && this.isList(evidence.channel)) return { kind: 'placed', venueId: evidence.venueId ?? null };
    this.widenTo(bounds);
    this.latestReadMs = Math.max(this.latestReadMs, evidence.venueMs);
    const absenceHorizonMs = proofGuards.absenceHorizon
      ? this.signMs + bounds.recvWindowMs + this.visibilityDelayMs + this.readLagMs
      : this.signMs;
    const lagMs = proofGuards.readLag ? this.readLagMs : 0;
    if (evidence.channel !== step.channel) return this.beginRound(bounds, absenceHorizonMs);
    const isTooEarly = evidence.venueMs < Math.max(absenceHorizonMs, this.notBeforeMs);
    if (!evidence.complete || isTooEarly) this.canProveAbsence = false;
    const nextStep = this.round[this.stepIndex + 1];
    if (this.canProveAbsence) this.notBeforeMs = evidence.venueMs + (nextStep && !nextStep.waitsForLag ? 0 : lagMs);
    // A round that no longer counts still looks for the order in every list, without waiting.
    if (nextStep && (this.canProveAbsence || nextStep.isList)) {
      this.stepIndex++;
      return this.nextRead(nextStep.channel, this.canProveAbsence && nextStep.waitsForLag ? lagMs : 0, bounds, absenceHorizonMs);
    }
    if (this.canProveAbsence) {
      const isRoundBlocked = isBlocked && proofGuards.unattributedBlocks;
      if (evidence.found && proofGuards.holdingsAgree) this.hasHoldingsMismatch = true;
      else if (!isRoundBlocked && ++this.provingRounds === ROUNDS_FOR_NO_EFFECT) return { kind: 'noEffect' };
    }
    return this.beginRound(bounds, absenceHorizonMs);
  }

  /** Adopts the current bounds, which only widen while an order is open. A wider bound, or a clock jump, discards the finished rounds. */
  private widenTo(bounds: AbsenceBounds): void {
    const { clockEpoch, epochMs, visibilityDelayMs, readLagMs } = bounds;
    if (clockEpoch === this.epoch && visibilityDelayMs <= this.visibilityDelayMs && readLagMs <= this.readLagMs) return;
    if (clockEpoch !== this.epoch) this.signMs = Math.max(this.signMs, epochMs);
    this.epoch = clockEpoch;
    this.visibilityDelayMs = Math.max(this.visibilityDelayMs, visibilityDelayMs);
    this.readLagMs = Math.max(this.readLagMs, readLagMs);
    this.provingRounds = 0;
    this.notBeforeMs = -INFINITY;
    if (this.stepIndex > 0) this.canProveAbsence = false;
  }

  /** Begins the next round: returns its first read, after the pause between rounds. */
  private beginRound(bounds: AbsenceBounds, absenceHorizonMs: number): ResolutionStep {
    this.stepIndex = 0;
    this.canProveAbsence = true;
    const minApartMs = this.provingRounds > 0 && proofGuards.readLag ? this.readLagMs : 0;
    return this.nextRead(this.first, Math.max(bounds.resolveEveryMs, minApartMs), bounds, absenceHorizonMs);
  }
  /** Returns the next read. It asks for the operator once reads have not decided for `escalateAfterMs` after the absence horizon. */
  private nextRead(channel: Channel, waitMs: number, bounds: AbsenceBounds, absenceHorizonMs: number): ResolutionStep {
    const isOverdue = this.latestReadMs >= absenceHorizonMs + bounds.escalateAfterMs;
    if (isOverdue && !proofGuards.onlyEvidence) return { kind: 'noEffect' };
    return { kind: 'read', channel, waitMs, human: isOverdue ? this.reasonForOperator() : null };
  }
  private reasonForOperator(): string {
    return this.hasHoldingsMismatch
      ? 'the holdings differ from the ledger, but no list shows the order'
      : 'no complete round of reads since the absence horizon';
  }
  /** True when a round reads the channel as a list that may show the order. */
  private isList(channel: Channel): boolean {
    return this.round.some((step) => step.channel === channel && step.isList);
  }
}
