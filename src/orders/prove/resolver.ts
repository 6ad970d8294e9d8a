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
interface Step {
  readonly channel: Channel;
  /** True for a list of orders or trades, which may show the order; false for a balance, which must agree with the ledger. */
  readonly isList: boolean;
  /** True when the read must wait for the read lag after the step before. */
  readonly waits: boolean;
}

/**
 * Orders only move from open to done, so open orders are read first, done orders second and balances last. In the reverse order, an order
 * that fills between the two reads would be in neither list.
 */
const ROUNDS: Readonly<Record<Market, readonly Step[]>> = {
  spot: [
    { channel: 'openOrders', isList: true, waits: false },
    { channel: 'myTrades', isList: true, waits: true },
    { channel: 'balances', isList: false, waits: false },
  ],
  futures: [
    { channel: 'openOrders', isList: true, waits: false },
    { channel: 'orderHistory', isList: true, waits: true },
    { channel: 'myTrades', isList: true, waits: true },
    { channel: 'positions', isList: false, waits: false },
  ],
};
const ROUNDS_FOR_NO_EFFECT = proofGuards.twoRounds ? 2 : 1;

/**
 * Resolves one order with an unknown outcome. `placed` needs one list that shows the order. `noEffect` needs two rounds of complete reads
 * after the absence horizon, in the fixed order and at least the read lag apart.
 */
export class Resolution {
  private readonly round: readonly Step[];
  /** The latest time at which its request can have been signed. */
  private signMs: number;
  private epoch: number;
  /** The largest values of D and L while this order was open. */
  private visibilityDelayMs = 0;
  private readLagMs = 0;
  /** The next step of the round. */
  private at = 0;
  /** True while this round can still prove that the order is absent. */
  private counts = true;
  /** The number of rounds that count. */
  private rounds = 0;
  /** True once a complete round has found holdings that differ from the ledger. */
  private hasDisagreed = false;
  /** The venue time before which the next read does not count. */
  private notBeforeMs = -INFINITY;
  /** The latest venue time of a read. */
  private lastMs = -INFINITY;

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
    const step = this.round[this.at]!;
    if (evidence.found && this.isList(evidence.channel)) return { kind: 'placed', venueId: evidence.venueId ?? null };
    this.adjust(bounds);
    this.lastMs = Math.max(this.lastMs, evidence.venueMs);
    const absenceHorizonMs = proofGuards.absenceHorizon
      ? this.signMs + bounds.recvWindowMs + this.visibilityDelayMs + this.readLagMs
      : this.signMs;
    const lagMs = proofGuards.readLag ? this.readLagMs : 0;
    if (evidence.channel !== step.channel) return this.begin(bounds, absenceHorizonMs);
    if (!evidence.complete || evidence.venueMs < Math.max(absenceHorizonMs, this.notBeforeMs)) this.counts = false;
    const next = this.round[this.at + 1];
    if (this.counts) this.notBeforeMs = evidence.venueMs + (next && !next.waits ? 0 : lagMs);
    // A round that no longer counts still looks for the order in every list, without waiting.
    if (next && (this.counts || next.isList)) {
      this.at++;
      return this.read(next.channel, this.counts && next.waits ? lagMs : 0, bounds, absenceHorizonMs);
    }
    if (this.counts) {
      if (evidence.found && proofGuards.holdingsAgree) this.hasDisagreed = true;
      else if (!(isBlocked && proofGuards.unattributedBlocks) && ++this.rounds === ROUNDS_FOR_NO_EFFECT) return { kind: 'noEffect' };
    }
    return this.begin(bounds, absenceHorizonMs);
  }

  /** Adopts the current bounds, which only widen while an order is open. A wider bound, or a clock jump, discards the finished rounds. */
  private adjust(bounds: AbsenceBounds): void {
    const { clockEpoch, epochMs, visibilityDelayMs, readLagMs } = bounds;
    if (clockEpoch === this.epoch && visibilityDelayMs <= this.visibilityDelayMs && readLagMs <= this.readLagMs) return;
    if (clockEpoch !== this.epoch) this.signMs = Math.max(this.signMs, epochMs);
    this.epoch = clockEpoch;
    this.visibilityDelayMs = Math.max(this.visibilityDelayMs, visibilityDelayMs);
    this.readLagMs = Math.max(this.readLagMs, readLagMs);
    this.rounds = 0;
    this.notBeforeMs = -INFINITY;
    if (this.at > 0) this.counts = false;
  }

  /** Begins the next round: returns its first read, after the pause between rounds. */
  private begin(bounds: AbsenceBounds, absenceHorizonMs: number): ResolutionStep {
    this.at = 0;
    this.counts = true;
    const minApartMs = this.rounds > 0 && proofGuards.readLag ? this.readLagMs : 0;
    return this.read(this.first, Math.max(bounds.resolveEveryMs, minApartMs), bounds, absenceHorizonMs);
  }
  /** Returns the next read. It asks for the operator once reads have not decided for `escalateAfterMs` after the absence horizon. */
  private read(channel: Channel, waitMs: number, bounds: AbsenceBounds, absenceHorizonMs: number): ResolutionStep {
    const isOverdue = this.lastMs >= absenceHorizonMs + bounds.escalateAfterMs;
    if (isOverdue && !proofGuards.onlyEvidence) return { kind: 'noEffect' };
    return { kind: 'read', channel, waitMs, human: isOverdue ? this.whyHuman() : null };
  }
  private whyHuman(): string {
    return this.hasDisagreed
      ? 'the holdings differ from the ledger, but no list shows the order'
      : 'no complete round of reads since the absence horizon';
  }
  private isList(channel: Channel): boolean {
    return this.round.some((step) => step.channel === channel && step.isList);
  }
}
