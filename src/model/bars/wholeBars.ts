// The error of a run that cannot read its bars block by block.

/** Thrown by a run that turns out to need all bars in memory. The caller then repeats the run with all bars. */
export class NeedsWholeBars extends Error {}
