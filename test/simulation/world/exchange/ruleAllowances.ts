// What the faults of a day have done to orders of the bot. The rules allow the consequences, because the bot cannot avoid them.

/** Notes of the faults for the rules. The faults write them, the rules read them. */
export class RuleAllowances {
  /**
   * Client order ids of orders for which the bot has nothing reserved when they come to the book: the exchange has refused them, or they arrive
   * after the end of their reservation.
   */
  readonly unreservedIds = new Set<string>();
  /** Ids of orders that the exchange has cancelled by itself, or a person. */
  readonly cancelledByExchangeIds = new Set<string>();
  /** Until this time the exchange is in maintenance, ms UTC. */
  maintenanceUntilMs = -Infinity;
  /** True once the exchange has refused a read of a delisted symbol. The bot cannot audit its account any more. */
  hidesSymbol = false;
  /** True if a kill has an older copy of the journal. It may then reuse the number of an order that had no effect. */
  mayReuseNumbers = false;
  readonly #unknownUntilMsByClientId = new Map<string, number>();

  /** Notes an order that arrives later than the bot assumes, or that was refused: until `untilMs` the bot need not know it. */
  allowUnknown(clientOrderId: string, untilMs: number): void {
    this.#unknownUntilMsByClientId.set(clientOrderId, untilMs);
  }
  /** True while the bot need not know an order. */
  mayBeUnknown(clientOrderId: string | null, nowMs: number): boolean {
    return nowMs < (this.#unknownUntilMsByClientId.get(clientOrderId ?? '') ?? -Infinity);
  }
}
