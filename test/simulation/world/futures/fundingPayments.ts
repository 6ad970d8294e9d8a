// The true funding payments of one bot at the simulated exchange, and whether the bot could read each of them.

/** How long after a funding payment the reads of its position are noted, ms. */
const MAX_READ_AGE_MS = 3_600_000;
/** How old a list of positions may be when it is answered, ms. */
const MAX_LIST_AGE_MS = 5000;

/** A funding payment of a position of the bot. */
export interface FundingPayment {
  /** Number of the position at the exchange. */
  readonly positionId: number;
  readonly contract: string;
  /** Units received; below 0 if the bot paid. */
  readonly units: number;
  readonly timeMs: number;
  /** When the position was closed, ms UTC; Infinity while it is open. */
  closedMs: number;
}

/** Payments of the bot's positions, and the reads of positions that followed them. */
export class FundingPayments {
  readonly oldestFirst: FundingPayment[] = [];
  /** Reads of positions that reached the bot after a payment. */
  readonly #positionReads: { readonly contract: string; readonly answeredMs: number }[] = [];

  /** Notes a payment of an open position. */
  add(payment: Omit<FundingPayment, 'closedMs'>): void {
    this.oldestFirst.push({ ...payment, closedMs: Infinity });
  }
  /** Notes that a position was closed: its payments can be read no longer. */
  noteClosed(positionId: number, closedMs: number): void {
    for (const payment of this.oldestFirst)
      if (payment.positionId === positionId && payment.closedMs === Infinity) payment.closedMs = closedMs;
  }
  /** Notes a read of positions that has reached the bot, if it follows a payment. `answeredMs`: when the exchange answered it. */
  noteRead(target: string, answeredMs: number): void {
    if (!target.startsWith('/fapi/v1/positions')) return;
    for (const { contract, timeMs } of this.oldestFirst)
      if (timeMs > answeredMs - MAX_READ_AGE_MS && target.includes(contract)) this.#positionReads.push({ contract, answeredMs });
  }
  /**
   * True if the bot could read a payment from the list of positions before its position was closed. Two reads are needed, because a power loss
   * may undo the records of one.
   */
  isReadable({ contract, timeMs, closedMs }: FundingPayment): boolean {
    const [earliestMs, latestMs] = [timeMs + MAX_LIST_AGE_MS, closedMs - MAX_LIST_AGE_MS];
    const readTimesMs = this.#positionReads
      .filter((read) => read.contract === contract && read.answeredMs >= earliestMs && read.answeredMs < latestMs)
      .map(({ answeredMs }) => answeredMs);
    return readTimesMs.length > 0 && Math.max(...readTimesMs) - Math.min(...readTimesMs) >= MAX_LIST_AGE_MS;
  }
}
