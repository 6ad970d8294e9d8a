// Where lines of a strategy's own log go.

/** `timeMs`: ms UTC of the run or of the exchange; `strategy`: the name of the one that says it, or of the bot. */
export type LogLine = (timeMs: number, strategy: string, message: string, fields: Readonly<Record<string, unknown>>) => void;
