// Indicators of authors that throw in a live bot: whose each is, and which have thrown and are silent since.

import type { CustomNote, Kernel } from '../indicators/spec.ts';
import type { Engine } from './engine.ts';
import type { FeedRun } from './feed.ts';

export class Faults {
  /** Who registered an author's own indicator, by its note. */
  readonly #owners = new Map<CustomNote, number>();
  readonly #silent = new Set<Kernel>();
  readonly #untold: { readonly run: number; readonly error: unknown }[] = [];

  /** What this strategy has registered with the feed by now is its own, but for what others had registered before. */
  own({ indicators }: FeedRun, run: number): void {
    for (const note of indicators.customs) if (!this.#owners.has(note)) this.#owners.set(note, run);
  }

  /** Fills the indicators of a block. One of an author that throws is filled no more: who registered it is to be blamed, and nobody else. */
  fill({ feeds }: Engine): void {
    for (const { indicators, cur, to } of feeds) {
      if (to === cur) continue;
      for (const kernel of indicators.kernels) {
        if (this.#silent.has(kernel)) continue;
        try {
          kernel.fill(cur, to);
        } catch (error) {
          const run = kernel.custom === undefined ? undefined : this.#owners.get(kernel.custom);
          if (run === undefined) throw error;
          this.#silent.add(kernel);
          this.#untold.push({ run, error });
        }
      }
    }
  }

  /** Throws what an indicator has thrown, once, in the name of its strategy. */
  raise(engine: Engine): void {
    const fault = this.#untold.shift();
    if (fault === undefined) return;
    engine.inCharge = fault.run;
    throw fault.error;
  }
}
