// What a person does by hand at the exchange, beside the bot: cancels its order, sells coins, deposits and withdraws. The bot must name what moved.

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

/** The operator looks this often at what was done by hand. */
const LOOK_MS = 300_000;
/** The operator clears a mismatch only this long after a transfer, so that one without a reason stays. */
const EXPLAINED_MS = 3_600_000;
/** The bot trades this symbol on every day. */
const BASE = 'AAA';
/** Coins that are sold, deposited or withdrawn by hand. The account has 50 that are not the bot's. */
const COINS = { min: 0.5, max: 3 };
const CASH_PER_COIN = 100;

/** What the acts need. */
export interface ManualActsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly process: () => BotProcess | null;
}

export class ManualActs {
  #lastTransferMs = -Infinity;
  /** What the bot has not named yet: venue order ids of sales, and assets of transfers. */
  readonly #unnamed = new Set<string>();
  #looks = false;
  readonly #deps: ManualActsDeps;

  constructor(deps: ManualActsDeps) {
    this.#deps = deps;
  }

  /** Applies an act. `size`, in [0, 1), selects its kind and amount. On a day of contracts only cancels are made. */
  apply(what: ManualAct, size: number): void {
    const { venue } = this.#deps;
    if (what === 'manualCancel') this.#cancel(size);
    else if (venue.market === 'futures') return;
    else if (what === 'manualSale') this.#sell(size);
    else this.#transfer(size);
  }

  /** MOVED: the bot has named each sale by hand (ALIEN), and has found each transfer (MISMATCH). */
  checkEnd(): void {
    const { observer, queue } = this.#deps;
    for (const what of this.#unnamed) observer.report('MOVED', `${what} was moved by hand, and the bot did not say so`, queue.nowMs);
  }

  /** Forgets the acts that a crash of the exchange has undone. */
  forgetLost(): void {
    const { venue } = this.#deps;
    for (const what of this.#unnamed)
      if (venue.transferred.has(what) ? venue.transferred.get(what) === 0 : !venue.manualTradesById.has(what)) this.#unnamed.delete(what);
  }

  #cancel(size: number): void {
    const { venue } = this.#deps;
    const open = venue.side.live().filter(({ account, isAdmitted, id }) => account === 0 && isAdmitted && !venue.manualTradesById.has(id));
    const order = open[Math.floor(size * open.length)];
    if (order !== undefined) venue.side.cancel(order as never, false);
  }

  #sell(size: number): void {
    const { venue } = this.#deps;
    const { instrument } = venue.side.market(`${BASE}USDT`)!;
    const orderId = venue.placeManually({
      instrument,
      side: 'sell',
      role: 'market',
      lots: lots(Math.floor(coinsOf(size) * 1e4)),
      quoteUnits: units(0),
      limit: ticks(0),
      reduceOnly: false,
      timeInForce: null,
      slot: '',
    });
    if (orderId !== null) this.#unnamed.add(orderId);
    this.#look();
  }

  /** Deposits or withdraws coins or cash. */
  #transfer(size: number): void {
    const { venue, queue } = this.#deps;
    const [isCash, isDeposit] = [subRandom(size, 16) < 0.5, size < 0.5];
    const asset = isCash ? 'USDT' : BASE;
    const amount = Math.floor(coinsOf(subRandom(size, 64)) * 1e8) * (isCash ? CASH_PER_COIN : 1);
    const { accounts } = (venue.side as SpotExchange).venue;
    const index = accounts.asset(asset);
    const moved = isDeposit ? amount : -amount;
    accounts.of(0, index).free += moved;
    venue.side.changes.accounts.add(0);
    accounts.external[index]!.deposited += moved;
    venue.transferred.set(asset, (venue.transferred.get(asset) ?? 0) + moved);
    this.#lastTransferMs = queue.nowMs;
    this.#unnamed.add(asset);
    this.#look();
  }

  /** The operator looks, and decides about what the bot has named: an order by hand is ignored, a transfer is explained. */
  #look(isAgain = false): void {
    if (this.#looks && !isAgain) return;
    this.#looks = true;
    const { queue, observer, operator, venue, process } = this.#deps;
    queue.at(queue.nowMs + LOOK_MS, () => this.#look(true));
    const opened = process()?.opened;
    if (!opened) return;
    const { services, engine } = opened.bot.deps;
    const foreign = foreignOrdersOf(services).map(({ venueId }) => venueId);
    const causes = engine.risk.halts.causes();
    const isHalted = causes.some(({ code }) => code === 'ALIEN' || code === 'KILLED');
    for (const id of foreign) {
      if (isHalted) this.#unnamed.delete(id);
      else observer.report('S7', `order ${id} is foreign and undecided, and the account is not halted`, queue.nowMs);
    }
    operator.ignore(foreign.filter((id) => venue.manualTradesById.has(id)));
    const mismatches = causes.filter(({ code }) => code === 'MISMATCH');
    for (const { why } of mismatches) for (const asset of ['USDT', BASE]) if (why.includes(asset)) this.#unnamed.delete(asset);
    if (mismatches.length > 0 && queue.nowMs < this.#lastTransferMs + EXPLAINED_MS) operator.clearOnce('MISMATCH');
  }
}

const coinsOf = (size: number): number => COINS.min + size * (COINS.max - COINS.min);
