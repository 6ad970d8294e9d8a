// What a run does that cannot read its bars block by block.

/** Thrown while a run over bars that are read block by block is prepared or made, so that it is made again with all bars in memory. */
export class NeedsWholeBars extends Error {}
