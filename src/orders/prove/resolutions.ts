// The evidence about each order with an unknown outcome, collected from reads until the outcome is proven.

import type { Order } from '../../model/order.ts';
import type { Evidence } from '../../ports/exchange.ts';
import type { Journal } from '../../ports/journal.ts';
import { Resolution, type AbsenceBounds, type ResolutionStep } from './resolver.ts';

/** One `Resolution` for each order of unknown outcome. */
export class Resolutions {
  private readonly journal: Journal;
  private readonly bounds: AbsenceBounds;
  private readonly byId = new Map<number, Resolution>();

  constructor(journal: Journal, bounds: AbsenceBounds) {
    this.journal = journal;
    this.bounds = bounds;
  }

  /** Returns the evidence about an order. Without evidence it begins at the signing time of the journal. */
  of(order: Order): Resolution {
    return this.byId.get(order.id) ?? this.begin(order, this.journal.signMs(order));
  }
  /** Begins without any evidence. `signMs`: the latest time at which its request can have been signed. */
  begin({ id, instrument }: Order, signMs: number): Resolution {
    const resolution = new Resolution(instrument.market, signMs, this.bounds.clockEpoch);
    this.byId.set(id, resolution);
    return resolution;
  }
  /** Journals a read and adds it to the evidence about an order. Returns the next step. `isBlocked`: see Resolution. */
  applyEvidence(order: Order, evidence: Evidence, isBlocked: boolean): ResolutionStep {
    this.journal.evidence(order, evidence);
    return this.of(order).applyEvidence(evidence, this.bounds, isBlocked);
  }
  /** Forgets an order whose outcome is proven. */
  delete({ id }: Order): void {
    this.byId.delete(id);
  }
}
