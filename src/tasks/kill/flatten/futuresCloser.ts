// Closes one side of a contract's position with CLOSE orders: at most the quantity that is proved to be the bot's and that the exchange shows.

import { POSITION_TYPE, positionTypeOf, type PositionType } from '../../../protocol/contractModes.ts';
import { futuresOrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Side } from '../../../model/order.ts';
import { uncertainOrderText, type Range } from '../plan/attribution.ts';
import type { Closable, Closer, SliceOutcome, SliceOrder } from './flatten.ts';
import { settleSlice } from './settleSlice.ts';
import { sliceOutcomeOf, findSlice } from './sliceOutcome.ts';
import type { CloserDeps } from './spotCloser.ts';
import type { LeftTrigger } from '../cancel/drainTriggers.ts';
import type { KillVenue } from '../plan/killVenue.ts';

const ZERO = new Decimal(0);
/** Number of price levels to read on each side of the book. */
const BOOK_LEVELS = 100;

/** The contract and side to close. */
export interface FuturesCloserDeps extends Omit<CloserDeps, 'strategy'> {
  /** Side of the position: `buy` is long. */
  readonly positionSide: Side;
  /** False in two-way mode: strategies may have long and short positions side by side. */
  readonly isNet: boolean;
  /** Cancels the bot's trigger orders of the contract. Returns those that may be the bot's and are left alone. Throws KillStopped. */
  readonly cancelTriggers: () => Promise<readonly LeftTrigger[]>;
}

/** Closes one side of one contract. */
export class FuturesCloser implements Closer {
  readonly #deps: FuturesCloserDeps;
  /** Margin mode of the position. */
  #positionType: PositionType = POSITION_TYPE.cross;
  /** Trigger orders that may be the bot's; null: none were cancelled yet. */
  #leftTriggers: readonly LeftTrigger[] | null = null;

  constructor(deps: FuturesCloserDeps) {
    this.#deps = deps;
  }

  async closable(venue: KillVenue): Promise<Closable | null> {
    const { instrument, positionSide, evidenceReader, isNet } = this.#deps;
    const { held, heldOn, uncertain } = await evidenceReader.read(instrument);
    const positions = await venue.readPositions(instrument.wireName);
    const position = positions.find((row) => row.side === positionSide && new Decimal(row.volume).greaterThan(0));
    if (!position) return null;
    this.#positionType = positionTypeOf(position.positionType !== POSITION_TYPE.isolated);
    const { low, high: provenHigh } = ownRange([...(isNet ? held : heldOn[positionSide]).values()], positionSide, isNet);
    const side = positionSide === 'buy' ? 'sell' : 'buy';
    // An account in net mode shows one side. With both, it has been set to two-way mode: each order of the bot has then changed one side, and
    // the sum of them does not say what is left of it.
    const isUnexpectedlyTwoWay = isNet && positions.some((row) => row.side === side && new Decimal(row.volume).greaterThan(0));
    const high = isUnexpectedlyTwoWay
      ? Decimal.max(provenHigh, ownRange([...heldOn[positionSide].values()], positionSide, false).high)
      : provenHigh;
    if (this.#leftTriggers === null && high.lessThan(position.volume)) {
      // The account has contracts that are not the bot's. A stop of the bot that fires beside a slice would close them, so it is cancelled
      // first, and protects nothing any more. Then everything is read again, because it may have fired before.
      this.#leftTriggers = await this.#deps.cancelTriggers();
      return this.closable(venue);
    }
    const closingTriggers = (this.#leftTriggers ?? []).filter(
      ({ trigger, mayBeLost }) => mayBeLost && trigger.open === 'CLOSE' && trigger.side === side,
    );
    const triggerQty = closingTriggers.reduce((sum, { trigger }) => sum.plus(trigger.volume), ZERO);
    const provenQty = Decimal.min(low, position.volume, position.closableVolume ?? position.volume);
    const qty = Decimal.max(0, provenQty.minus(triggerQty));
    const blockedQty = Decimal.min(low, position.volume).minus(provenQty);
    // The part of a position that is not the bot's stays open.
    const uncertainQty = Decimal.min(high, position.volume).minus(qty).minus(blockedQty);
    const uncertainties = [...uncertain.map(uncertainOrderText), ...closingTriggers.map(leftTriggerText)];
    if (isUnexpectedlyTwoWay) uncertainties.push(`${instrument.id}: the account is in two-way mode, the bot is in net mode`);
    return { side, qty, blockedQty, uncertainQty, uncertainties };
  }

  readBook(venue: KillVenue): ReturnType<Closer['readBook']> {
    return venue.read('futures.depth', { contractName: this.#deps.instrument.wireName, limit: BOOK_LEVELS });
  }

  async place(venue: KillVenue, slice: SliceOrder, restMs: number): Promise<SliceOutcome> {
    const { instrument, evidenceReader, journal } = this.#deps;
    const cid = await journal.intend(slice);
    const outcome = await venue.once('futures.createOrder', {
      contractName: instrument.wireName,
      volume: slice.qty,
      price: slice.price,
      type: 'LIMIT',
      side: slice.side === 'sell' ? 'SELL' : 'BUY',
      open: 'CLOSE',
      positionType: this.#positionType,
      clientOrderId: cid,
      timeInForce: 'IOC',
    });
    return sliceOutcomeOf(outcome, cid, journal, {
      settle: (orderId) => this.#settle(venue, orderId, restMs),
      isTaken: (orderId) => evidenceReader.books.isTakenId(orderId, cid),
      find: (cause) => findSlice(venue, instrument, cause, { cid, evidenceReader }),
    });
  }

  /** Resolves with the executed quantity once a slice has ended. */
  async #settle(venue: KillVenue, orderId: string, restMs: number): Promise<SliceOutcome> {
    const { instrument, evidenceReader } = this.#deps;
    const contractName = instrument.wireName;
    const { executions } = evidenceReader.books;
    const calls = {
      async query() {
        const order = await venue.queryOnce('futures.orderInformation', { contractName, orderId });
        if (order === null || order === 'none') return null;
        executions.noteExecuted(instrument.id, futuresOrderRow(order));
        return { status: order.status.word, executedQty: order.executedQty };
      },
      cancel: () => venue.once('futures.cancelOrder', { contractName, orderId }),
    };
    await settleSlice(venue, calls, restMs);
    return { kind: 'ended', filled: executions.executedOf(instrument.id, orderId).toFixed() };
  }
}

/** Returns why a part of the position is left for a trigger order. */
const leftTriggerText = ({ instrument, trigger: { triggerOrderId, volume } }: LeftTrigger): string =>
  `${instrument}: trigger order ${triggerOrderId} may be the bot's, and may close ${volume} contracts`;

/** Returns the bounds of the strategies' position on one side. In net mode it is their sum; in two-way mode each side has its own. */
function ownRange(ranges: readonly Range[], positionSide: Side, isNet: boolean): Range {
  // A short position is below zero. Its size has the opposite bounds.
  const sizeRanges = ranges.map(({ low, high }) => (positionSide === 'buy' ? { low, high } : { low: high.negated(), high: low.negated() }));
  const notBelowZero = (qty: Decimal): Decimal => Decimal.max(0, qty);
  const sum = (quantities: readonly Decimal[]): Decimal => quantities.reduce((total, qty) => total.plus(qty), ZERO);
  const boundOf = (bound: 'low' | 'high'): Decimal => {
    const bounds = sizeRanges.map((range) => range[bound]);
    return isNet ? notBelowZero(sum(bounds)) : sum(bounds.map(notBelowZero));
  };
  return { low: boundOf('low'), high: boundOf('high') };
}
