// The shared memory in which a run reports its progress to the thread that watches it.

/** The elements of the shared memory: number of finished blocks, finished rows of the first execution feed, end of the last block in seconds. */
export const PROGRESS = { blocks: 0, rows: 1, blockEndS: 2 } as const;
