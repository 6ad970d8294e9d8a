// The form of a bar in the journal.

/** A received bar, once for every feed of its set: index of the feed in the engine, then openMs, open, high, low, close, volume. */
export type BarFact = readonly [feed: number, openMs: number, open: number, high: number, low: number, close: number, volume: number];
