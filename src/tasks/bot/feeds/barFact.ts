// A bar as the journal has it.

/** A bar that has come, for every feed of its set: position of the feed in the engine, then openMs, open, high, low, close, volume. */
export type BarFact = readonly [feed: number, openMs: number, open: number, high: number, low: number, close: number, volume: number];
