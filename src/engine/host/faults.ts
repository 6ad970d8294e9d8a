// Indicators of authors in a live bot: which strategy registered each, and which have thrown and are computed no more.

import type { CustomNote, Kernel } from '../../indicators/graph/spec.ts';
import type { FeedRun } from '../feeds/feed.ts';

export class Faults {
  /** Who registered an author's own indicator, by its note. */
  readonly #owners = new Map<CustomNote, number>();
  readonly #silent = new Set<Kernel>();
  readonly #untold: { readonly run: number; readonly error: unknown }[] = [];

  /** Call it once a strategy is constructed: indicators of the feed without an owner belong to it. */
  own({ indicators }: FeedRun, run: number): void {
    for (const note of indicators.customs) if (!this.#owners.has(note)) this.#owners.set(note, run);
  }

  /** Fills the indicators of a block. One of an author that throws is filled no more; `raise` blames the strategy that registered it. */
  fill(feeds: readonly FeedRun[]): void {
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

  /** Throws the oldest error of an indicator that was not thrown yet, with its strategy in charge. */
  raise(engine: { currentStrategy: number }): void {
    const fault = this.#untold.shift();
    if (fault === undefined) return;
    engine.currentStrategy = fault.run;
    throw fault.error;
  }
}
