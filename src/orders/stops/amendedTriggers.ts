// Trigger orders that a strategy has moved: the new one is placed first, and the old one is cancelled once the new one stands.

/** What is read of an order. */
interface AmendedOrder {
  readonly id: number;
  /** Number of the order whose place it takes; 0: of none. */
  readonly amends: number;
}
interface OpenOrderLookup<O> {
  all(): readonly O[];
  find(id: number): O | undefined;
}
interface TriggerReservations<O> {
  release(order: O): void;
  reinstate(order: O): void;
}

/**
 * Both orders only close, so together they close no more than the position. Their reservation is therefore that of one: of the new order
 * from its approval on, and of the old one again if the new one ends first.
 */
export class AmendedTriggers<O extends AmendedOrder> {
  private readonly open: OpenOrderLookup<O>;
  private readonly reservations: TriggerReservations<O>;
  private readonly cancel: (oldOrder: O, nowMs: number) => void;

  constructor(open: OpenOrderLookup<O>, reservations: TriggerReservations<O>, cancel: (oldOrder: O, nowMs: number) => void) {
    this.open = open;
    this.reservations = reservations;
    this.cancel = cancel;
  }

  /** Returns the order whose place another one takes, as long as it has not ended. */
  oldOf({ amends }: O): O | undefined {
    return amends > 0 ? this.open.find(amends) : undefined;
  }
  /** Call it before risk judges the new order. */
  passOn(order: O): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.reservations.release(oldOrder);
  }
  /** The new order stands, or is cancelled itself. */
  cancelOld(order: O, nowMs: number): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.cancel(oldOrder, nowMs);
  }
  /** The new order has ended: the old one counts again if it still stands. */
  takeBack(order: O): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.reservations.reinstate(oldOrder);
  }
  /** True for a new order that is proven absent while the old one stands: should it arrive late, it closes nothing more than that one. */
  isCovered(order: O): boolean {
    return this.oldOf(order) !== undefined;
  }

  /** After a restart, when all orders are known again. */
  restore(provenAbsent: ReadonlyMap<number, O>): void {
    for (const order of this.open.all()) this.passOn(order);
    for (const order of provenAbsent.values()) if (this.isCovered(order)) this.reservations.release(order);
  }
}

/** True when an open order takes the place of this one. */
export const isBeingAmended = ({ id }: AmendedOrder, open: readonly AmendedOrder[]): boolean => open.some(({ amends }) => amends === id);
