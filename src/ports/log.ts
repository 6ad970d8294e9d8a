// Port for the log lines of strategies.

/** `timeMs`: ms UTC of the run or of the exchange. `strategy`: the name of the strategy that logs the line, or of the bot. */
export type LogLine = (timeMs: number, strategy: string, message: string, fields: Readonly<Record<string, unknown>>) => void;
