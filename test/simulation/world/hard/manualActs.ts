// Acts of a person at the exchange, beside the bot: cancels its order, sells coins, deposits and withdraws. The bot must report what has moved.

import { lots, units, ticks } from '../../../../src/base/brand.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import { foreignOrdersOf } from '../../../../src/tasks/bot/run/foreignOrders.ts';
import type { BotProcess } from '../botProcess.ts';
import type { Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue } from '../venue.ts';
import type { ManualAct } from './hardDay.ts';
import { subRandom } from '../draws.ts';

/** How often the operator reviews foreign orders and mismatches, ms. */
const REVIEW_MS = 300_000;
/** The operator clears a mismatch at most this long after a transfer, ms, so that a mismatch without a reason stays. */
const EXPLAINED_MS = 3_600_000;
/** The bot trades this symbol on every day. */
const BASE = 'AAA';
/** Coins that are sold, deposited or withdrawn by hand. The account has 50 that are not the bot's. */
const COINS = { min: 0.5, max: 3 };
/** Quote money that is transferred in place of one coin. */
const CASH_PER_COIN = 100;
/** Units of one coin or one unit of quote money, and lots of one coin. */
const UNITS = 1e8;
const LOTS_PER_COIN = 1e4;

/** The parts of the world on which the acts are made. */
export interface ManualActsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly process: () => BotProcess | null;
}

/** The acts by hand of one day. */
export class ManualActs {
  #lastTransferMs = -Infinity;
  /** What the bot has not named yet: venue order ids of sales, and assets of transfers. */
  readonly #unnamed = new Set<string>();
  /** True once the operator reviews foreign orders and mismatches. */
  #isReviewing = false;
  readonly #deps: ManualActsDeps;

  constructor(deps: ManualActsDeps) {
    this.#deps = deps;
  }

  /** Applies an act. `size`, in [0, 1), selects its kind and amount. On a day of contracts only cancels are made. */
  apply(act: ManualAct, size: number): void {
    const { venue } = this.#deps;
    if (act === 'manualCancel') this.#cancel(size);
    else if (venue.market === 'futures') return;
    else if (act === 'manualSale') this.#sell(size);
    else this.#transfer(size);
  }

  /** MOVED: the bot has named each sale by hand (ALIEN), and has found each transfer (MISMATCH). */
  checkEnd(): void {
    const { observer, queue } = this.#deps;
    for (const assetOrId of this.#unnamed)
      observer.report('MOVED', `${assetOrId} was moved by hand, and the bot did not say so`, queue.nowMs);
  }

  /** Forgets the acts that a crash of the exchange has undone. */
  forgetLost(): void {
    const { venue } = this.#deps;
    for (const assetOrId of this.#unnamed) {
      const isAsset = venue.transferred.has(assetOrId);
      const isUndone = isAsset ? venue.transferred.get(assetOrId) === 0 : !venue.manualTradesById.has(assetOrId);
      if (isUndone) this.#unnamed.delete(assetOrId);
    }
  }

  /** Cancels an order of the bot. */
  #cancel(size: number): void {
    const { venue } = this.#deps;
    const botOrders = venue.side
      .unendedOrders()
      .filter(({ account, isAdmitted, id }) => account === 0 && isAdmitted && !venue.manualTradesById.has(id));
    const order = botOrders[Math.floor(size * botOrders.length)];
    if (order !== undefined) venue.side.cancel(order as never, false);
  }

  /** Sells coins at the market. */
  #sell(size: number): void {
    const { venue } = this.#deps;
    const { instrument } = venue.side.market(`${BASE}USDT`)!;
    const orderId = venue.placeManually({
      instrument,
      side: 'sell',
      role: 'market',
      lots: lots(Math.floor(coinsOf(size) * LOTS_PER_COIN)),
      quoteUnits: units(0),
      limit: ticks(0),
      reduceOnly: false,
      timeInForce: null,
      slot: '',
    });
    if (orderId !== null) this.#unnamed.add(orderId);
    this.#review();
  }

  /** Deposits or withdraws coins or cash. */
  #transfer(size: number): void {
    const { venue, queue } = this.#deps;
    const isCash = subRandom(size, 16) < 0.5;
    const isDeposit = size < 0.5;
    const asset = isCash ? 'USDT' : BASE;
    const amount = Math.floor(coinsOf(subRandom(size, 64)) * UNITS) * (isCash ? CASH_PER_COIN : 1);
    const { accounts } = (venue.side as SpotExchange).venue;
    const index = accounts.asset(asset);
    const changeUnits = isDeposit ? amount : -amount;
    accounts.of(0, index).free += changeUnits;
    venue.side.changes.accounts.add(0);
    accounts.external[index]!.deposited += changeUnits;
    venue.transferred.set(asset, (venue.transferred.get(asset) ?? 0) + changeUnits);
    this.#lastTransferMs = queue.nowMs;
    this.#unnamed.add(asset);
    this.#review();
  }

  /**
   * Lets the operator decide about what the bot has reported, now and every REVIEW_MS: a manual order is ignored, a mismatch after a transfer is
   * cleared. Only the first call starts the reviews; `isRepeated` marks the later ones.
   */
  #review(isRepeated = false): void {
    if (this.#isReviewing && !isRepeated) return;
    this.#isReviewing = true;
    const { queue, observer, operator, venue, process } = this.#deps;
    queue.at(queue.nowMs + REVIEW_MS, () => this.#review(true));
    const opened = process()?.opened;
    if (!opened) return;
    const { services, engine } = opened.bot.deps;
    const foreignIds = foreignOrdersOf(services).map(({ venueId }) => venueId);
    const causes = engine.risk.halts.causes();
    const isHalted = causes.some(({ code }) => code === 'ALIEN' || code === 'KILLED');
    for (const id of foreignIds) {
      if (isHalted) this.#unnamed.delete(id);
      else observer.report('S7', `order ${id} is foreign and undecided, and the account is not halted`, queue.nowMs);
    }
    operator.ignore(foreignIds.filter((id) => venue.manualTradesById.has(id)));
    const mismatches = causes.filter(({ code }) => code === 'MISMATCH');
    for (const asset of ['USDT', BASE]) if (mismatches.some(({ why }) => why.includes(asset))) this.#unnamed.delete(asset);
    if (mismatches.length > 0 && queue.nowMs < this.#lastTransferMs + EXPLAINED_MS) operator.clearOnce('MISMATCH');
  }
}

/** Returns the number of coins of an act. */
const coinsOf = (size: number): number => COINS.min + size * (COINS.max - COINS.min);
