// Trigger orders that a strategy has moved: the new order is placed first, and the old one is cancelled once the exchange holds the new one.

/** The fields of an order that this file reads. */
interface AmendedOrder {
  readonly id: number;
  /** Id of the order that it replaces; 0 for none. */
  readonly amends: number;
}
/** The unfinished orders. */
interface OpenOrderLookup<O> {
  /** Returns all unfinished orders, oldest first. */
  all(): readonly O[];
  /** Returns the unfinished order with this id. */
  find(id: number): O | undefined;
}
/** The calls that change the reservation of a trigger order. */
interface TriggerReservations<O> {
  /** Frees what is reserved for an order. */
  release(order: O): void;
  /** Reserves for an order again what was released. */
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

  /** Returns the order that another one replaces, unless it has ended. */
  oldOf({ amends }: O): O | undefined {
    return amends > 0 ? this.open.find(amends) : undefined;
  }
  /** Releases the reservation of the old order. Call it before risk checks the new one. */
  releaseOld(order: O): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.reservations.release(oldOrder);
  }
  /** Cancels the old order, because the exchange holds the new one or the new one is cancelled itself. */
  cancelOld(order: O, nowMs: number): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.cancel(oldOrder, nowMs);
  }
  /** Reserves the old order again, if it is still open, because the new one has ended. */
  reinstateOld(order: O): void {
    const oldOrder = this.oldOf(order);
    if (oldOrder !== undefined) this.reservations.reinstate(oldOrder);
  }
  /** True when the old order is still open. A new order that is proven absent then needs no reservation: both close the same lots. */
  isCovered(order: O): boolean {
    return this.oldOf(order) !== undefined;
  }

  /** Restores the reservations after a restart, when all orders are known again. */
  restore(provenAbsent: ReadonlyMap<number, O>): void {
    for (const order of this.open.all()) this.releaseOld(order);
    for (const order of provenAbsent.values()) if (this.isCovered(order)) this.reservations.release(order);
  }
}

/** True when an open order replaces this one. */
export const isBeingAmended = ({ id }: AmendedOrder, open: readonly AmendedOrder[]): boolean => open.some(({ amends }) => amends === id);
