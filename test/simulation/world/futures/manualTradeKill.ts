// Ends a day of contracts with a kill that closes positions, just after a person has traded the bot's contract by hand.

import { lots, ticks, units } from '../../../../src/base/brand.ts';
import type { Side } from '../../../../src/model/order.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { BotProcess } from '../botProcess.ts';
import { rngOf } from '../draws.ts';
import type { Observer } from '../observer.ts';
import type { Operator } from '../operator.ts';
import { SYMBOLS } from '../venue.ts';
import { contractName, type ContractVenue } from './contractVenue.ts';

/** What a person has done on a day of `contractHands`, by the seed. */
const MANUAL_ACTS = [
  // Has turned the position of the account to the other side.
  'turned',
  // Holds a part of the position back for a closing order far from the price.
  'heldBack',
  // Has closed a part of the position, and lists still say that all of it may be closed.
  'closedPart',
] as const;
/** What a person has done. `enlarged`: the bot is short, and the person sells as many contracts as its long strategy has. */
type ManualAct = (typeof MANUAL_ACTS)[number] | 'enlarged';
/** Returns what a person does on a day of `contractHands`. */
export const manualActOf = (seed: number): ManualAct => MANUAL_ACTS[(seed - 1) % MANUAL_ACTS.length]!;
/** Time from the start of the day until the first check for a position to trade, ms. */
const FIRST_CHECK_MS = { min: 600_000, range: 1_800_000 };
/** Time between two checks for a position, and for the end of the kill, ms. */
const CHECK_PAUSE_MS = 1000;
/** Time from the act of the person until the kill, ms. */
const KILL_AFTER_MS = 400;
/** Positions of at least this many lots are used. */
const MIN_LOTS = 20;
/** Share of the position that a person holds back or closes. */
const PART_SHARE = 0.4;

/** Collaborators of `ManualTradeKill`. */
export interface ManualTradeKillDeps {
  readonly queue: DueQueue;
  readonly venue: ContractVenue;
  readonly observer: Observer;
  readonly operator: Operator;
  readonly currentProcess: () => BotProcess | null;
  readonly print: (text: string) => void;
}

/** The act of a person and the kill of one day. */
export class ManualTradeKill {
  isOver = false;
  readonly #deps: ManualTradeKillDeps;
  readonly #act: ManualAct;
  /** The lots of the bot before the kill, below 0 for a short position, by coin. */
  readonly #lotsBefore = new Map<string, number>();
  /** The contract that the person trades. */
  #contract = '';
  /** Lots of the position that an open closing order of the person holds back, so that the kill cannot close them. */
  #heldBackLots = 0;
  /** Lots of the position before the act, which lists show as closable. */
  #shownLots = 0;

  constructor(deps: ManualTradeKillDeps, seed: number, act: ManualAct) {
    this.#deps = deps;
    this.#act = act;
    const { queue } = deps;
    queue.at(queue.nowMs + FIRST_CHECK_MS.min + Math.floor(rngOf(seed, 'killScene').next() * FIRST_CHECK_MS.range), () =>
      this.#tradeOnceHeld(),
    );
  }

  /**
   * Waits until the bot holds a position that it knows exactly, and has no open orders except stops. For `enlarged`: until the late buy of the
   * long strategy has filled while the bot is short. Then the person trades, and the kill follows.
   */
  #tradeOnceHeld(): void {
    const { queue, venue, currentProcess } = this.#deps;
    const running = currentProcess();
    const engine = running?.opened?.bot.deps.engine;
    const base = SYMBOLS.find((symbol) => {
      const heldLots = venue.heldLots(symbol);
      const index = engine?.instruments.findIndex((instrument) => instrument.base === symbol) ?? -1;
      if (engine === undefined || index < 0 || Math.abs(heldLots) < MIN_LOTS) return false;
      if (this.#act === 'enlarged') return heldLots < 0 && this.#lotsOfLongStrategy >= MIN_LOTS;
      const knownLots = engine.runs.reduce((sum, run) => sum + engine.ledger.lots(run.index, index), 0);
      return knownLots === heldLots && venue.openOrders().every(({ id }) => id.startsWith('trigger'));
    });
    // After that buy two strategies hold one contract, so the bot has halted them.
    const mayTrade = running?.opened?.bot.isTrading === true || this.#act === 'enlarged';
    if (base === undefined || running === null || !mayTrade || running.isKilled || running.isAsleep)
      return void queue.at(queue.nowMs + CHECK_PAUSE_MS, () => this.#tradeOnceHeld());
    for (const symbol of SYMBOLS) this.#lotsBefore.set(symbol, venue.heldLots(symbol));
    this.#trade(base);
    queue.at(queue.nowMs + KILL_AFTER_MS, () => this.#kill(running));
  }

  /** Lots that the bot has bought to open: those of its long strategy, which never sells. */
  get #lotsOfLongStrategy(): number {
    const bought = Array.from(this.#deps.venue.orders.byId.values()).filter(
      ({ order: { intent } }) => intent.side === 'buy' && !intent.reduceOnly,
    );
    return bought.flatMap(({ trades }) => trades).reduce((sum, trade) => sum + trade.lots, 0);
  }

  /** Makes the person do the act of the day on the contract of a coin. */
  #trade(base: string): void {
    const { venue } = this.#deps;
    const heldLots = venue.heldLots(base);
    const partLots = Math.floor(Math.abs(heldLots) * PART_SHARE);
    const closingSide: Side = heldLots > 0 ? 'sell' : 'buy';
    this.#contract = contractName(base);
    this.#shownLots = Math.abs(heldLots);
    if (this.#act === 'enlarged') this.#place('sell', this.#lotsOfLongStrategy, null, false);
    else if (this.#act === 'turned') this.#place(closingSide, Math.abs(heldLots) * 2, null, false);
    else if (this.#act === 'closedPart') this.#place(closingSide, partLots, null, true);
    else {
      this.#heldBackLots = partLots;
      this.#place(closingSide, partLots, heldLots > 0 ? 1.2 : 0.8, true);
    }
  }
  /** Places an order of the person. `factor`: its limit relative to the price; null for a market order. */
  #place(side: Side, orderLots: number, factor: number | null, reduceOnly: boolean): void {
    const { venue, queue, print } = this.#deps;
    venue.service.advance(queue.nowMs);
    const { instrument, referencePrice } = venue.side.market(this.#contract)!;
    const id = venue.placeManually({
      instrument,
      side,
      role: factor === null ? 'market' : 'limit',
      lots: lots(orderLots),
      quoteUnits: units(0),
      limit: ticks(factor === null ? 0 : Math.round(referencePrice * factor)),
      reduceOnly,
      timeInForce: null,
      slot: '',
    });
    print(`a person places order ${id}: ${side} ${orderLots} lots of ${this.#contract}`);
  }

  #kill(process: BotProcess): void {
    const { operator, queue } = this.#deps;
    operator.kill(process, true);
    queue.at(queue.nowMs + CHECK_PAUSE_MS, () => this.#judgeOnceDone(process));
  }

  /** Once the kill has ended, checks rule S3: it closed only contracts of the bot; and rule KILL: it left none that it could have closed. */
  #judgeOnceDone(process: BotProcess): void {
    const { queue, venue, observer, print } = this.#deps;
    const view = this.#deps.currentProcess() === process ? process.control?.ownKill : null;
    if (view?.phase !== 'done') return void queue.at(queue.nowMs + CHECK_PAUSE_MS, () => this.#judgeOnceDone(process));
    print(`the kill left ${view.residuals.join('; ') || 'nothing'}`);
    for (const base of SYMBOLS) {
      const [before, after] = [this.#lotsBefore.get(base) ?? 0, venue.heldLots(base)];
      if (after * before < 0 || Math.abs(after) > Math.abs(before))
        observer.report('S3', `${base}: the bot had ${before} contracts, and has ${after} after the kill`, queue.nowMs);
      const left = venue.closableLots(base) - (contractName(base) === this.#contract ? this.#heldBackLots : 0);
      if (left >= 1) observer.report('KILL', `${base}: the kill leaves ${left} contracts that it could close`, queue.nowMs);
    }
    this.isOver = true;
  }

  /** Returns the reply to a read: while lists lag, all of the position may be closed. */
  read(target: string, answer: Answer): Answer {
    if (this.#act !== 'closedPart' || this.#shownLots === 0 || !target.startsWith('/fapi/v1/positions') || !target.includes(this.#contract))
      return answer;
    return { ...answer, body: answer.body.replace(/"canCloseVolume":"?[0-9.]+"?/, `"canCloseVolume":${this.#shownLots}`) };
  }
}
