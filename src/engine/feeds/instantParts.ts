// The progress of an instant that is visited in parts (`decide: perFeed`): one part for each instrument that has bars at the instant.

import type { AlignedFeeds } from './alignedFeeds.ts';

/** What a part needs of the engine: the groups of feeds, and the number of strategies that have decided in this part. */
interface PartProgress {
  readonly alignedFeeds: readonly AlignedFeeds[];
  decided: number;
}

/** Which part of an instant is visited, and in which order its parts follow. */
export class InstantParts {
  /** The instruments in the order in which strategies need them (needOrder.ts). */
  byNeed: readonly number[] = [];
  /** Returns the order of all instruments at an instant, such as the order that a journal recorded. Null: use `byNeed`. */
  orderAt: ((instantMs: number) => readonly number[]) | null = null;
  /** Position of the visited part in that order. */
  place = 0;
  /** True once the bars of the visited part are delivered. */
  isDelivered = false;

  /** Begins the visit of an instant. */
  begin(): void {
    this.place = 0;
    this.isDelivered = false;
  }

  /** Delivers the bars of an instrument that close at the instant, unless they are delivered. Returns false if there are none. */
  deliver(progress: PartProgress, instrumentIndex: number): boolean {
    if (this.isDelivered) return true;
    for (const aligned of progress.alignedFeeds) {
      if (!aligned.isDue || aligned.lead.instrumentIndex !== instrumentIndex) continue;
      aligned.deliver(1);
      this.isDelivered = true;
    }
    progress.decided = 0;
    return this.isDelivered;
  }
}
