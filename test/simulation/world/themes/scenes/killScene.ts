// Plays the scene before and during the kill that ends a day: loses the bot's orders that the scene needs, and makes a person place orders.

import { ticks } from '../../../../../src/base/brand.ts';
import type { Rng } from '../../../../../src/base/number/rng.ts';
import type { OrderIntent } from '../../../../../src/model/order.ts';
import type { DueQueue } from '../../../../../src/ports/dueQueue.ts';
import { rngOf } from '../../draws.ts';
import type { JournalDisk } from '../../journalDisk.ts';
import { clientOrderIdIn, type Observer } from '../../observer.ts';
import type { RequestFault } from '../../schedule.ts';
import type { SimulatedVenue } from '../../venue.ts';
import { intentOf } from '../manualOrders.ts';
import { fieldOf, ownOrderOf } from '../replies.ts';
import { sceneOf, type KillSituation, type Scene } from './scenes.ts';

/** Time from an order of the bot until a person places a similar one, ms: within the admission window of the bot's, and after it. */
const SIMILAR_AFTER_MS = { soon: 300, later: 8000 };
/** In the scene `noPrices` the price is multiplied by this factor. */
const FALL_FACTOR = 0.985;
/** Time from the fall until a person sells as many coins as the lost sale, ms. */
const AFTER_FALL_MS = 45_000;
/** The limit of the person's sale divided by the limit of the lost one. */
const LOWER_LIMIT_FACTOR = 0.97;
/** Time from the start of the last check of the kill until the lost order arrives, ms. */
const ARRIVES_AFTER_MS = 1000;
/** How long the bot continues in scenes in which one order fits two of its requests, ms. */
const BOT_CONTINUES_MS = 120_000;
/** Time from the last lost order until the process ends, ms. */
const END_AFTER_MS = 40;
/** Client order ids of another program. */
const OTHER_PROGRAM_ID = 'OTHERPROGRAM1';
/** Matches a journal record of a fill that is booked to no order. */
const UNATTRIBUTED_FILL = /"k":"FILL"[^\n]*"cid":null/;
/** Matches the journal records by which the outcome of an order becomes unknown. */
const UNKNOWN_STATE = /"k":"STATE"[^\n]*"lifecycle":"unknown"/g;
/** Number of lists without an order of the bot after which a kill takes its cancels for done, if no order may still appear. */
const LISTS_OF_CANCELS = 2;
/** A limit far below every price, ticks. */
const LOW_TICKS = 50;
/** In the scene `strangeSlice`, how long queries show an old row of the first slice, ms. It is longer than any lag that the kill may expect. */
const OLD_ROW_MS = 60_000;
/** Faults use only this share of the range of their lengths, so that they are short. */
const LENGTH_SHARE = 0.2;

/** The order of the bot with which a scene begins, and what happens to it. */
interface SceneTerms {
  readonly botOrder: 'takerBuy' | 'makerBuy' | 'takerSale';
  /** What happens to the first order, and to the next one with its terms. */
  readonly faults: readonly RequestFault['faultKind'][];
  /** True if replies to the kill have client order ids. */
  readonly showsClientIds?: boolean;
  /** The order of a person: `soon`; `later`, after the admission window; `named`, with another program's client order id; `below` the lost limit. */
  readonly manualOrder?: 'soon' | 'later' | 'named' | 'below';
}
const SCENE_TERMS: Readonly<Record<Scene, SceneTerms>> = {
  alikeFilled: { botOrder: 'takerBuy', faults: ['loseReply'], manualOrder: 'soon' },
  otherName: { botOrder: 'takerBuy', faults: ['loseRequest'], manualOrder: 'named', showsClientIds: true },
  retriedBuy: { botOrder: 'takerBuy', faults: ['refusal', 'loseRequest'], manualOrder: 'soon' },
  retriedSale: { botOrder: 'takerSale', faults: ['refusal', 'loseRequest'], manualOrder: 'soon' },
  copiedSale: { botOrder: 'takerSale', faults: ['duplicateRequest'], showsClientIds: true },
  unlistedCopy: { botOrder: 'takerSale', faults: ['duplicateRequest'], showsClientIds: true },
  laterAlike: { botOrder: 'makerBuy', faults: ['loseRequest'], manualOrder: 'later' },
  lateInVerify: { botOrder: 'takerBuy', faults: ['loseRequest'], showsClientIds: true },
  lostSlice: { botOrder: 'takerSale', faults: ['delayReply'] },
  noPrices: { botOrder: 'takerSale', faults: ['loseRequest'], manualOrder: 'below' },
  retriedFilled: { botOrder: 'takerBuy', faults: ['refusal', 'loseReply'] },
  nextId: { botOrder: 'takerBuy', faults: ['nextId'] },
  strangeSlice: { botOrder: 'takerBuy', faults: ['delayReply'], showsClientIds: true },
  unreadableRow: { botOrder: 'takerBuy', faults: ['loseRequest'], manualOrder: 'soon' },
};

/** Collaborators of `KillScene`. */
export interface KillSceneDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly journal: JournalDisk;
  readonly print: (text: string) => void;
}

/** The scene of one day. */
export class KillScene {
  readonly name: Scene;
  readonly situation: KillSituation;
  /** Client order id of the order whose acknowledgement has the id of another one (`nextId`); null before. */
  wrongIdOrder: string | null = null;
  readonly #deps: KillSceneDeps;
  readonly #rng: Rng;
  readonly #sceneTerms: SceneTerms;
  /** The request of the order that was lost last. */
  #lostBody: string | null = null;
  /** Symbol of the order that was refused; null before. */
  #refusedSymbol: string | null = null;
  /** Number of orders of the scene that the bot has sent. */
  #sceneOrderCount = 0;
  /** When the bot sent the last of them, ms UTC. */
  #lastSceneOrderMs = -Infinity;
  /** Number of orders whose outcome had become unknown before the scene began. */
  #unknownBefore = 0;
  /** Symbol of the slice whose reply was lost. */
  #sliceSymbol: string | null = null;
  /** Client order id of the first slice of the kill, and when it left, ms UTC (`strangeSlice`). */
  #firstSlice: { readonly clientOrderId: string; readonly leftMs: number } | null = null;
  /** Number of lists in succession that had no open order of the bot, of the lost order's symbol (`unreadableRow`). */
  #emptyListCount = 0;
  /** True once the lost order has been scheduled to arrive (`lateInVerify`). */
  #isLateScheduled = false;
  /** True once the kill has sent a slice of `#sliceSymbol`: the one whose reply is lost. */
  #hasSliceLeft = false;
  /** Number of operations of the disk when the journal was last searched. */
  #searchedOperations = -1;
  /** Lots of manual orders that nothing distinguishes from those of the bot, by coin. */
  readonly #doubtfulLots = new Map<string, number>();

  constructor(deps: KillSceneDeps, seed: number) {
    this.#deps = deps;
    this.#rng = rngOf(seed, 'killScene');
    this.name = sceneOf(seed);
    this.#sceneTerms = SCENE_TERMS[this.name];
    this.situation = { journal: 'whole', hidesClientIds: this.#sceneTerms.showsClientIds !== true, manual: 'similarOrders' };
  }

  /** True from the first order of the scene on. */
  get hasBegun(): boolean {
    return this.#sceneOrderCount > 0;
  }
  /** True once the scene no longer needs the process of the bot. */
  get isComplete(): boolean {
    if (this.#sceneOrderCount < this.#sceneTerms.faults.length) return false;
    const afterMs = this.#deps.queue.nowMs - this.#lastSceneOrderMs;
    if (this.name === 'retriedFilled') return afterMs >= BOT_CONTINUES_MS;
    if (this.countsCopies) return this.#journalHas(UNATTRIBUTED_FILL) || afterMs >= BOT_CONTINUES_MS;
    if (this.name === 'nextId') return this.#unknownOutcomes() > this.#unknownBefore;
    return afterMs >= END_AFTER_MS;
  }
  /** True if the journal has such a record. Only a journal that has grown is searched. */
  #journalHas(record: RegExp): boolean {
    const { journal } = this.#deps;
    const { operations } = journal.disk;
    if (operations === this.#searchedOperations) return false;
    this.#searchedOperations = operations;
    return journal.contents().some((bytes) => record.test(Buffer.from(bytes).toString()));
  }
  /** Returns the number of orders in the journal whose outcome has become unknown. */
  #unknownOutcomes(): number {
    const texts = this.#deps.journal.contents().map((bytes) => Buffer.from(bytes).toString());
    return texts.reduce((count, text) => count + (text.match(UNKNOWN_STATE)?.length ?? 0), 0);
  }
  /** True if the bot can query orders while the scene lasts. */
  get answersQueries(): boolean {
    return this.name === 'retriedFilled' || this.countsCopies;
  }
  /** True if sales of a second copy reduce what the kill may sell. */
  get countsCopies(): boolean {
    return this.name === 'copiedSale' || this.name === 'unlistedCopy';
  }
  /** True if no reply has a client order id while the bot runs. */
  get hidesIdsFromBot(): boolean {
    return this.name === 'retriedFilled';
  }
  /** Delay of the kill, ms: it must not end before the person has acted. */
  get killDelayMs(): number {
    return this.name === 'noPrices' ? AFTER_FALL_MS : 0;
  }

  /** Returns the fault of a create request; null without one. `isSlice`: the kill sends it. */
  faultOf(body: string, isSlice: boolean): Omit<RequestFault, 'requestNumber'> | null {
    if (isSlice) return this.#faultOfSlice(body);
    const faultKind = this.#sceneTerms.faults[this.#sceneOrderCount];
    if (faultKind === undefined || !this.#isSceneOrder(body)) return null;
    if (this.#sceneOrderCount === 0 && this.name === 'nextId') this.#unknownBefore = this.#unknownOutcomes();
    this.#sceneOrderCount++;
    this.#lastSceneOrderMs = this.#deps.queue.nowMs;
    if (faultKind === 'refusal') this.#refusedSymbol = intentOf(body, this.#deps.venue)?.instrument.wireName ?? null;
    else if (faultKind === 'nextId') this.wrongIdOrder = clientOrderIdIn(body) ?? null;
    else this.#lose(body);
    return { faultKind, draw: LENGTH_SHARE * this.#rng.next() };
  }
  /** True for a create request with the side and the price, taker or maker, of the scene's orders. */
  #isSceneOrder(body: string): boolean {
    const { venue } = this.#deps;
    const intent = intentOf(body, venue);
    if (intent === null) return false;
    const { botOrder } = this.#sceneTerms;
    // The strategy asks again for the order that was refused.
    if (this.#refusedSymbol !== null && intent.instrument.wireName !== this.#refusedSymbol) return false;
    const price = venue.service.markets.find(({ instrument }) => instrument === intent.instrument)?.referencePrice ?? NaN;
    const isTaker = intent.side === 'buy' ? intent.limit > price : intent.limit < price;
    if (botOrder === 'takerSale') return intent.side === 'sell' && isTaker;
    return intent.side === 'buy' && isTaker === (botOrder === 'takerBuy');
  }

  /** Notes a lost order. If the scene has a manual order, a person places a similar one. */
  #lose(body: string): void {
    const { queue, venue } = this.#deps;
    this.#lostBody = body;
    const intent = intentOf(body, venue);
    const { manualOrder } = this.#sceneTerms;
    if (intent === null || manualOrder === undefined) return;
    if (manualOrder === 'below') {
      venue.exchange.prices.factor *= FALL_FACTOR;
      const lowerIntent = { ...intent, limit: ticks(Math.round(intent.limit * LOWER_LIMIT_FACTOR)) };
      queue.at(queue.nowMs + AFTER_FALL_MS, () => this.#placeManually(lowerIntent, { isDoubtful: false }));
      return;
    }
    const afterMs = manualOrder === 'later' ? SIMILAR_AFTER_MS.later : SIMILAR_AFTER_MS.soon;
    const clientOrderId = manualOrder === 'named' ? OTHER_PROGRAM_ID : null;
    if (this.name === 'unreadableRow') this.#placeManually({ ...intent, limit: ticks(LOW_TICKS) }, { isDoubtful: false });
    queue.at(queue.nowMs + afterMs, () => this.#placeManually(intent, { isDoubtful: manualOrder === 'soon', clientOrderId }));
  }
  /** Makes a person place an order. `isDoubtful`: nothing distinguishes it from one of the bot. */
  #placeManually(intent: OrderIntent, options: { readonly isDoubtful: boolean; readonly clientOrderId?: string | null }): void {
    const { isDoubtful, clientOrderId = null } = options;
    const { venue, print, queue } = this.#deps;
    // The clock of the exchange still shows its last event.
    venue.service.advance(queue.nowMs);
    const id = venue.placeManually(intent, clientOrderId);
    print(`a person places order ${id}: ${intent.side} ${intent.lots} lots at ${intent.limit}`);
    const { base } = intent.instrument;
    if (isDoubtful) this.#doubtfulLots.set(base, (this.#doubtfulLots.get(base) ?? 0) + intent.lots);
  }

  // --- While the kill runs

  /** Loses the reply to the first slice, and makes a person place a similar sale. */
  #faultOfSlice(body: string): Omit<RequestFault, 'requestNumber'> | null {
    const { queue, venue } = this.#deps;
    const intent = intentOf(body, venue);
    if (this.name === 'strangeSlice') this.#firstSlice ??= { clientOrderId: clientOrderIdIn(body) ?? '', leftMs: queue.nowMs };
    if (this.name !== 'lostSlice' || this.#sliceSymbol !== null || intent === null) return null;
    this.#sliceSymbol = intent.instrument.wireName;
    queue.at(queue.nowMs + SIMILAR_AFTER_MS.soon, () => this.#placeManually(intent, { isDoubtful: true }));
    return { faultKind: 'loseReply', draw: LENGTH_SHARE };
  }
  /** Rule UNSURE: a kill sends no slice of a symbol after one whose outcome nothing can show. */
  checkSlice(body: string): void {
    const { observer, queue } = this.#deps;
    if (this.#sliceSymbol === null || !body.includes(`"${this.#sliceSymbol}"`)) return;
    if (this.#hasSliceLeft)
      observer.report('UNSURE', `a slice leaves while the outcome of an earlier one is unknown: ${body}`, queue.nowMs);
    this.#hasSliceLeft = true;
  }

  /** In `lateInVerify`: lets the lost order arrive between the last two readings of the kill. */
  notePhase(phase: string, text: string): void {
    const { queue, venue } = this.#deps;
    if (text.includes('may still appear')) this.#emptyListCount = 0;
    if (this.name !== 'lateInVerify' || this.#isLateScheduled || phase !== 'verifying' || this.#lostBody === null) return;
    const intent = intentOf(this.#lostBody, venue);
    const clientOrderId = clientOrderIdIn(this.#lostBody);
    if (intent === null || clientOrderId === undefined || !text.includes(intent.instrument.id)) return;
    this.#isLateScheduled = true;
    queue.at(queue.nowMs + ARRIVES_AFTER_MS, () => venue.placeLate(intent, clientOrderId, queue.nowMs));
  }

  /** Notes that the exchange answers the kill with the list of open orders of a symbol. */
  noteOpenList(symbol: string): void {
    const { venue } = this.#deps;
    if (this.#lostBody === null || intentOf(this.#lostBody, venue)?.instrument.wireName !== symbol) return;
    const hasOwn = venue.openOrders().some(({ instrument }) => instrument.wireName === symbol);
    this.#emptyListCount = hasOwn ? 0 : this.#emptyListCount + 1;
  }

  /** True for a row that lists do not show to the kill. */
  lacksRow(path: string, row: string): boolean {
    if (!path.endsWith('/myTrades')) return false;
    const id = ownOrderOf(row);
    if (this.#showsOldSlice) return this.#deps.venue.orders.byId.get(id)?.clientOrderId === this.#firstSlice?.clientOrderId;
    return this.name === 'unlistedCopy' && this.#deps.venue.orders.copies().some(({ order }) => order.id === id);
  }
  /**
   * Returns a row as the kill gets it. In `noPrices`, orders have no price. In `unreadableRow`, open buys have an unknown side once the cancels
   * are done. In `strangeSlice`, the first slice has an old row.
   */
  rowOf(path: string, row: string): string {
    if (this.name === 'noPrices' && fieldOf(row, 'orderId') !== '') return row.replace(/"price":(?:"[^"]*"|[^,}]*),/, '');
    const isUnreadable = this.name === 'unreadableRow' && this.#emptyListCount > LISTS_OF_CANCELS;
    if (isUnreadable && path.endsWith('/openOrders')) return row.replace('"BUY"', '"?"');
    const isFirstSlice = this.#showsOldSlice && fieldOf(row, 'clientOrderId') === this.#firstSlice?.clientOrderId;
    return isFirstSlice && path.endsWith('/v1/order') ? oldRow(row) : row;
  }
  /** True while the first slice has an old row. */
  get #showsOldSlice(): boolean {
    return this.#firstSlice !== null && this.#deps.queue.nowMs < this.#firstSlice.leftMs + OLD_ROW_MS;
  }

  /** Checks rule KILL: the kill closes everything that is certainly the bot's. It may leave at most the lots of manual orders that look like lost ones. */
  judge(): void {
    const { venue, observer, queue } = this.#deps;
    if (this.name !== 'retriedSale' && this.name !== 'noPrices') return;
    const base = this.#lostBody === null ? undefined : intentOf(this.#lostBody, venue)?.instrument.base;
    if (base === undefined) return;
    const heldLots = venue.heldLots(base);
    const doubtfulLots = this.#doubtfulLots.get(base) ?? 0;
    if (heldLots >= doubtfulLots + 1)
      observer.report('KILL', `the kill leaves ${heldLots} lots of ${base}, and ${doubtfulLots} lots are in doubt`, queue.nowMs);
  }
}

/** Returns the row of an order as it was before any fill, with a status that no table has. */
const oldRow = (row: string): string =>
  row.replace(/"status":(?:"[^"]*"|[^,}]+)/, '"status":"SUSPENDED"').replace(/"executedQty":(?:"[^"]*"|[^,}]+)/, '"executedQty":"0"');
