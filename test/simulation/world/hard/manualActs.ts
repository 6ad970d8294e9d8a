// Acts of a person at the exchange, beside the bot: cancels its order, sells coins, deposits and withdraws. The bot must report what has moved.

import { lots, units, ticks } from '../../../../src/base/brand.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import { foreignOrdersOf } from '../../../../src/tasks/bot/run/foreignOrders.ts';
import type { BotProcess } from '../botProcess.ts';
import type { Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue } from '../venue.ts';
import { LOTS_PER_COIN, UNITS_PER_COIN } from '../venueTerms.ts';
import type { ManualAct } from './hardDay.ts';
import { subRandom } from '../draws.ts';

/** How often the operator reviews foreign orders and mismatches, ms. */
const REVIEW_MS = 300_000;
/** For this time after a transfer, ms, the operator takes it as the reason of a mismatch and clears that. A later mismatch stays. */
const TRANSFER_EXPLAINS_MS = 3_600_000;
/** The bot trades this symbol on every day. */
const TRADED_COIN = 'AAA';
/** Coins that are sold, deposited or withdrawn by hand. The account has 50 that are not the bot's. */
const MANUAL_COINS = { min: 0.5, max: 3 };
/** Quote money that is transferred in place of one coin. */
const CASH_PER_COIN = 100;
/** Number of the bot's account. */
const BOT_ACCOUNT = 0;
/** Factors of `subRandom` by which the asset and the amount of a transfer follow from its draw. */
const ASSET_FACTOR = 16;
const AMOUNT_FACTOR = 64;

/** The parts of the world on which the acts are made. */
export interface ManualActsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly currentProcess: () => BotProcess | null;
}

/** The acts by hand of one day. */
export class ManualActs {
  #lastTransferMs = -Infinity;
  /** Venue order ids of sales, and assets of transfers, that the bot has not reported yet. */
  readonly #unreported = new Set<string>();
  /** True once the operator reviews foreign orders and mismatches. */
  #isReviewing = false;
  readonly #deps: ManualActsDeps;

  constructor(deps: ManualActsDeps) {
    this.#deps = deps;
  }

  /**
   * Makes an act. Its order, asset, direction and amount follow from `draw`, a random number in [0, 1). On a day of contracts only cancels are
   * made.
   */
  apply(act: ManualAct, draw: number): void {
    const { venue } = this.#deps;
    if (act === 'manualCancel') this.#cancel(draw);
    else if (venue.market === 'futures') return;
    else if (act === 'manualSale') this.#sell(draw);
    else this.#transfer(draw);
  }

  /**
   * Rule MOVED: the bot has reported each sale by hand as a foreign order (`ALIEN`), and each transfer as a mismatch (`MISMATCH`). A sale that ended without a fill
   * has moved nothing: no list shows it afterwards.
   */
  checkEnd(): void {
    const { observer, queue, venue } = this.#deps;
    for (const assetOrId of this.#unreported)
      if (venue.manual.tradesById.get(assetOrId)?.length !== 0)
        observer.report('MOVED', `${assetOrId} was moved by hand, and the bot did not say so`, queue.nowMs);
  }

  /** Forgets the acts that a crash of the exchange has undone. */
  forgetLost(): void {
    const { venue } = this.#deps;
    for (const assetOrId of this.#unreported) {
      const isAsset = venue.manual.transferredUnits.has(assetOrId);
      const isUndone = isAsset ? venue.manual.transferredUnits.get(assetOrId) === 0 : !venue.manual.tradesById.has(assetOrId);
      if (isUndone) this.#unreported.delete(assetOrId);
    }
  }

  /** Cancels an order of the bot. */
  #cancel(draw: number): void {
    const { venue } = this.#deps;
    const botOrders = venue.side
      .unendedOrders()
      .filter(({ account, isAdmitted, id }) => account === BOT_ACCOUNT && isAdmitted && !venue.manual.tradesById.has(id));
    const order = botOrders[Math.floor(draw * botOrders.length)];
    // `as never`: the order is of the market of this side, spot or futures, which the compiler cannot see.
    if (order !== undefined) venue.side.cancel(order as never, false);
  }

  /** Sells coins at the market. */
  #sell(draw: number): void {
    const { venue } = this.#deps;
    const { instrument } = venue.side.market(`${TRADED_COIN}USDT`)!;
    const orderId = venue.placeManually({
      instrument,
      side: 'sell',
      role: 'market',
      lots: lots(Math.floor(coinsOf(draw) * LOTS_PER_COIN)),
      quoteUnits: units(0),
      limit: ticks(0),
      reduceOnly: false,
      timeInForce: null,
      slot: '',
    });
    if (orderId !== null) this.#unreported.add(orderId);
    this.#review();
  }

  /** Deposits or withdraws coins or cash. */
  #transfer(draw: number): void {
    const { venue, queue } = this.#deps;
    const isCash = subRandom(draw, ASSET_FACTOR) < 0.5;
    const isDeposit = draw < 0.5;
    const asset = isCash ? 'USDT' : TRADED_COIN;
    const amount = Math.floor(coinsOf(subRandom(draw, AMOUNT_FACTOR)) * UNITS_PER_COIN) * (isCash ? CASH_PER_COIN : 1);
    const { accounts } = (venue.side as SpotExchange).venue;
    const index = accounts.asset(asset);
    const changeUnits = isDeposit ? amount : -amount;
    accounts.of(BOT_ACCOUNT, index).free += changeUnits;
    venue.side.changes.accounts.add(BOT_ACCOUNT);
    accounts.external[index]!.deposited += changeUnits;
    venue.manual.transferredUnits.set(asset, (venue.manual.transferredUnits.get(asset) ?? 0) + changeUnits);
    this.#lastTransferMs = queue.nowMs;
    this.#unreported.add(asset);
    this.#review();
  }

  /**
   * Lets the operator decide about what the bot has reported, now and every REVIEW_MS: a manual order is ignored, a mismatch after a transfer is
   * cleared. Only the first call starts the reviews; `isRepeated` marks the later ones.
   */
  #review(isRepeated = false): void {
    if (this.#isReviewing && !isRepeated) return;
    this.#isReviewing = true;
    const { queue, observer, operator, venue, currentProcess } = this.#deps;
    queue.at(queue.nowMs + REVIEW_MS, () => this.#review(true));
    const opened = currentProcess()?.opened;
    if (!opened) return;
    const { services, engine } = opened.bot.deps;
    const foreignIds = foreignOrdersOf(services).map(({ venueId }) => venueId);
    const causes = engine.risk.halts.causes();
    const isHalted = causes.some(({ code }) => code === 'ALIEN' || code === 'KILLED');
    for (const id of foreignIds) {
      if (isHalted) this.#unreported.delete(id);
      // Rule S7: a foreign order without a decision halts the account.
      else observer.report('S7', `order ${id} is foreign and undecided, and the account is not halted`, queue.nowMs);
    }
    operator.ignore(foreignIds.filter((id) => venue.manual.tradesById.has(id)));
    const mismatches = causes.filter(({ code }) => code === 'MISMATCH');
    // The bot names the asset of a mismatch only in the text of its cause.
    for (const asset of ['USDT', TRADED_COIN]) if (mismatches.some(({ why }) => why.includes(asset))) this.#unreported.delete(asset);
    if (mismatches.length > 0 && queue.nowMs < this.#lastTransferMs + TRANSFER_EXPLAINS_MS) operator.clearOnce('MISMATCH');
  }
}

/** Returns the number of coins of an act. */
const coinsOf = (draw: number): number => MANUAL_COINS.min + draw * (MANUAL_COINS.max - MANUAL_COINS.min);
