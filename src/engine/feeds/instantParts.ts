// `decide: perFeed`: an instant is visited in parts, one for each instrument that has bars at it. This is how far the visit has come.

import type { AlignedFeeds } from './alignedFeeds.ts';

/** What a part needs of the engine: the groups of feeds, and how many strategies were asked to decide at this part. */
interface PartProgress {
  readonly alignedFeeds: readonly AlignedFeeds[];
  decided: number;
}

export class InstantParts {
  /** The instruments in the order in which strategies need them. */
  byNeed: readonly number[] = [];
  /** Returns the order of all instruments at an instant, such as the one that a journal records. Null: the order of need. */
  orderAt: ((t: number) => readonly number[]) | null = null;
  /** Place of the visited part in that order, and whether its bars are delivered. */
  place = 0;
  isDelivered = false;

  /** Begins the visit of an instant. */
  begin(): void {
    this.place = 0;
    this.isDelivered = false;
  }

  /** Delivers the bars of an instrument that close at the instant, unless they are delivered. Returns false if there are none. */
  deliver(progress: PartProgress, instrument: number): boolean {
    if (this.isDelivered) return true;
    for (const aligned of progress.alignedFeeds) {
      if (!aligned.isDue || aligned.lead.instrumentIndex !== instrument) continue;
      aligned.deliver(1);
      this.isDelivered = true;
    }
    progress.decided = 0;
    return this.isDelivered;
  }
}
