// The faults of custom indicators in a live bot: which indicators have thrown, and which strategy registered each one.

import type { CustomNote, Kernel } from '../../indicators/graph/spec.ts';
import type { FeedRun } from '../feeds/feed.ts';
import type { Link } from '../feeds/links.ts';

/** Custom indicators that have thrown, and the strategies that must be halted for them. */
export class HostFaults {
  /** The strategy that registered each custom indicator, by its note. */
  private readonly owners = new Map<CustomNote, number>();
  /** Indicators that have thrown. They are not filled any more. */
  private readonly stopped = new Set<Kernel>();
  /** Errors that `raise` has not thrown yet, the oldest first. */
  private readonly unraised: { readonly strategy: number; readonly error: unknown }[] = [];

  /** Assigns the indicators of the feed that have no owner yet to a strategy. Call it when the strategy has been constructed. */
  assignOwner({ indicators }: FeedRun, strategyIndex: number): void {
    for (const note of indicators.customs) if (!this.owners.has(note)) this.owners.set(note, strategyIndex);
  }

  /**
   * Fills the indicators of a block. A custom indicator that throws is never filled again; `raise` attributes the error to the strategy
   * that registered it.
   */
  fill(feeds: readonly FeedRun[], links: readonly Link[]): void {
    for (const feed of feeds) this.fillKernels(feed, feed.indicators.kernels);
    for (const { feed, kernels } of links) this.fillKernels(feed, kernels);
  }
  private fillKernels({ nextRow, blockEnd }: FeedRun, kernels: readonly Kernel[]): void {
    if (blockEnd === nextRow) return;
    for (const kernel of kernels) {
      if (this.stopped.has(kernel)) continue;
      try {
        kernel.fill(nextRow, blockEnd);
      } catch (error) {
        const strategy = kernel.custom === undefined ? undefined : this.owners.get(kernel.custom);
        if (strategy === undefined) throw error;
        this.stopped.add(kernel);
        this.unraised.push({ strategy, error });
      }
    }
  }

  /** Throws the oldest indicator error that has not been thrown yet, and makes its strategy the current one. */
  raise(engine: { currentStrategy: number }): void {
    const fault = this.unraised.shift();
    if (fault === undefined) return;
    engine.currentStrategy = fault.strategy;
    throw fault.error;
  }
}
