// Second copies of our orders at the exchange, and the one halt that names them. Each is cancelled whenever a list shows it as open.

import { Decimal } from '../../../base/number/decimal.ts';
import { STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import type { UnattributedFill } from '../client/referenceBook.ts';
import { positionPartOf, type PositionPart } from '../order/expectedHoldings.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';

/** A duplicate of one of our orders, created by an intermediary. */
interface DuplicateOrder {
  readonly instrument: number;
  readonly clientOrderId: string;
  /** True if the latest list shows it as open. */
  isOpen: boolean;
  /** Its fills. They are a position of the account. */
  readonly fills: UnattributedFill[];
}

/** What the text shows of a second copy. `clientOrderId`: that of our order. */
interface DuplicateDetails {
  readonly venueId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly fills: readonly UnattributedFill[];
}

/** The collaborators of the duplicates. */
interface DuplicatesDeps {
  readonly raisedCauses: RaisedCauses;
  /** Cancels a duplicate. */
  readonly cancelDuplicate: (instrumentIndex: number, venueId: string) => void;
}

/** A halt lists at most this many trades of a duplicate, and names at most this many duplicates with their trades: the newest. */
const MAX_NAMED_TRADES = 10;
/** Maximum number of duplicates that a halt names. A kill that closes positions sends dozens of orders during the halt. */
const MAX_DUPLICATES = 200;

/** The duplicates that were found in one market. */
export class Duplicates {
  readonly #deps: DuplicatesDeps;
  readonly #byVenueId = new Map<string, DuplicateOrder>();
  /** Venue ids of duplicates that the operator has not cleared. */
  readonly #unclearedIds = new Set<string>();
  /** The text of the halt that the previous process raised for duplicates; null if there was none. */
  #textBeforeRestart: string | null = null;

  constructor(deps: DuplicatesDeps) {
    this.#deps = deps;
  }

  /** True if the venue order is a second one for a create request of ours. */
  has(venueId: string): boolean {
    return this.#byVenueId.has(venueId);
  }
  /** Adds a duplicate of our order, and raises the halt that names it. */
  add(instrumentIndex: number, clientOrderId: string, venueId: string): void {
    this.#byVenueId.set(venueId, { instrument: instrumentIndex, clientOrderId, isOpen: false, fills: [] });
    this.#name(venueId);
  }
  /** Cancels a duplicate, which a list may not show yet. */
  cancel(venueId: string): void {
    const duplicate = this.#byVenueId.get(venueId);
    if (duplicate === undefined) return;
    duplicate.isOpen = true;
    this.#deps.cancelDuplicate(duplicate.instrument, venueId);
  }
  /** Applies a row of a list. Cancels the duplicate each time it is seen open, because a cancel may be lost. No effect for other orders. */
  applyRow({ venueId, status }: OrderRow): void {
    const duplicate = this.#byVenueId.get(venueId);
    if (duplicate === undefined) return;
    duplicate.isOpen = STATUS_MEANING[status.word].kind !== 'terminal';
    if (duplicate.isOpen) this.#deps.cancelDuplicate(duplicate.instrument, venueId);
  }
  /** Notes a complete list of the instrument's open orders. Duplicates that it does not show have ended. */
  applyCompleteList(instrumentIndex: number, venueIds: ReadonlySet<string>): void {
    for (const [venueId, duplicate] of this.#byVenueId)
      if (duplicate.instrument === instrumentIndex && !venueIds.has(venueId)) duplicate.isOpen = false;
  }
  /** Adds a fill of a duplicate, and names it in the halt. No effect for other orders. */
  addFill(venueId: string, fill: UnattributedFill): void {
    const duplicate = this.#byVenueId.get(venueId);
    if (duplicate === undefined) return;
    duplicate.fills.push(fill);
    this.#name(venueId);
  }

  /**
   * Returns the net quantity of the instrument's duplicates that the operator has not cleared, above 0 bought, in the base asset or
   * contracts. `part`: of this part of the position alone.
   */
  netQty(instrumentIndex: number, part: PositionPart): Decimal {
    if (!this.#deps.raisedCauses.has('DUPLICATE', null)) return new Decimal(0);
    const fills = Array.from(this.#byVenueId.values()).flatMap((duplicate) =>
      duplicate.instrument === instrumentIndex
        ? duplicate.fills.filter(({ long }) => long === undefined || positionPartOf(true, long) === part)
        : [],
    );
    return fills.reduce((sum, { side, qty }) => (side === 'buy' ? sum.plus(qty) : sum.minus(qty)), new Decimal(0));
  }
  /** Duplicates that the latest lists show as open. They are being cancelled. */
  get open(): readonly { readonly venueId: string; readonly instrument: number; readonly clientOrderId: string }[] {
    return Array.from(this.#byVenueId, ([venueId, duplicate]) => ({ ...duplicate, venueId })).filter(({ isOpen }) => isOpen);
  }

  /** Restores the halt text of an earlier process that named duplicates and that the operator has not cleared. */
  restoreNamed(haltText: string): void {
    this.#textBeforeRestart = haltText;
  }
  /** Forgets the halt text of the earlier process, because the operator has cleared the halt. */
  forgetNamed(): void {
    this.#textBeforeRestart = null;
  }

  /** Raises the one halt for all duplicates. It names each duplicate that was found, or has filled, since the operator last cleared it. */
  #name(venueId: string): void {
    const { raisedCauses } = this.#deps;
    if (!raisedCauses.has('DUPLICATE', null)) this.#unclearedIds.clear();
    // The newest first, because a log or an alert shows only the beginning.
    this.#unclearedIds.delete(venueId);
    this.#unclearedIds.add(venueId);
    const ids = [...this.#unclearedIds].toReversed();
    const texts = ids.slice(0, MAX_DUPLICATES).map((id, index) => this.#textOf(id, index < MAX_NAMED_TRADES));
    const remainderText = ids.length > MAX_DUPLICATES ? [`and ${ids.length - MAX_DUPLICATES} others`] : [];
    const earlierText = this.#textBeforeRestart === null ? [] : [`before the restart: ${this.#textBeforeRestart}`];
    raisedCauses.raise('DUPLICATE', null, [...texts, ...remainderText, ...earlierText].join('; '));
  }
  #textOf(venueId: string, withTrades: boolean): string {
    const duplicate = this.#byVenueId.get(venueId)!;
    const symbol = this.#deps.raisedCauses.scopeNameOf(duplicate.instrument);
    return duplicateText({ ...duplicate, venueId, symbol }, withTrades);
  }
}

/** Returns what the operator must know about a second copy: its order, what it has filled, and on request the trades. */
function duplicateText({ venueId, symbol, clientOrderId, fills }: DuplicateDetails, withTrades: boolean): string {
  const text = `order ${venueId} of ${symbol} is a second copy of ${clientOrderId}`;
  if (fills.length === 0) return text;
  const withSum = `${text}; it has ${boughtOrSoldText(fills)}`;
  return withTrades ? `${withSum} (trades ${tradeIdsText(fills)}): a position of the account, of no strategy` : withSum;
}

/** Returns the sum of the fills, such as `bought 0.2 for 18000`. */
function boughtOrSoldText(fills: readonly UnattributedFill[]): string {
  const sumOf = (amountOf: (fill: UnattributedFill) => string): string =>
    fills.reduce((total, fill) => total.plus(amountOf(fill)), new Decimal(0)).toFixed();
  const [{ side }] = fills as readonly [UnattributedFill];
  return `${side === 'buy' ? 'bought' : 'sold'} ${sumOf(({ qty }) => qty)} for ${sumOf(({ notional }) => notional)}`;
}

/** Returns the trade ids, at most `MAX_NAMED_TRADES`. */
function tradeIdsText(fills: readonly UnattributedFill[]): string {
  const ids = fills.map(({ tradeId }) => tradeId);
  return ids.length > MAX_NAMED_TRADES ? `${ids.slice(0, MAX_NAMED_TRADES).join(', ')} ...` : ids.join(', ');
}
