// Plays the scene before and during the kill that ends a day: loses the orders of the bot that it needs, and has persons place orders.

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
import { sceneOf, type KillTerms, type Scene } from './stageTerms.ts';

/** Time from an own order until a person places one alike, ms: within the admission window of the own one, and after it. */
const ALIKE_AFTER_MS = { inTime: 300, later: 8000 };
/** Time from a lost sale until a person sells as much, when the price has fallen, ms. */
const AFTER_FALL_MS = 45_000;
const FALL = 0.985;
/** The limit of that sale, relative to the lost one. */
const LOWER_LIMIT = 0.97;
/** Time from the begin of the last check of the kill until the lost order arrives, ms. */
const ARRIVES_AFTER_MS = 1000;
/** How long a bot continues whose order fits two of its requests, ms. */
const GOES_ON_MS = 120_000;
/** Time from the last lost order until the process ends, ms. */
const END_AFTER_MS = 40;
/** Client order ids of another program. */
const OTHER_PROGRAM_ID = 'OTHERPROGRAM1';
/** A record of a fill that is booked to no order, and one that an outcome is unknown. */
const UNATTRIBUTED_FILL = /"k":"FILL"[^\n]*"cid":null/;
const UNKNOWN_STATE = /"k":"STATE"[^\n]*"lifecycle":"unknown"/;
/** Share of the faults that is drawn for their lengths. */
const LENGTH_SHARE = 0.2;

/** Which order of the bot a scene begins with, and what happens to it. */
interface SceneTerms {
  readonly own: 'takingBuy' | 'restingBuy' | 'takingSale';
  /** What happens to the first order, and to the next one with its terms. */
  readonly faults: readonly RequestFault['faultKind'][];
  /** True if replies to the kill have client order ids. */
  readonly showsClientIds?: boolean;
  /** Which order a person places. */
  readonly alike?: 'inTime' | 'later' | 'named' | 'below';
}
const SCENE_TERMS: Readonly<Record<Scene, SceneTerms>> = {
  alikeFilled: { own: 'takingBuy', faults: ['loseReply'], alike: 'inTime' },
  otherName: { own: 'takingBuy', faults: ['loseRequest'], alike: 'named', showsClientIds: true },
  retriedBuy: { own: 'takingBuy', faults: ['refusal', 'loseRequest'], alike: 'inTime' },
  retriedSale: { own: 'takingSale', faults: ['refusal', 'loseRequest'], alike: 'inTime' },
  copiedSale: { own: 'takingSale', faults: ['duplicateRequest'], showsClientIds: true },
  unlistedCopy: { own: 'takingSale', faults: ['duplicateRequest'], showsClientIds: true },
  laterAlike: { own: 'restingBuy', faults: ['loseRequest'], alike: 'later' },
  lateInVerify: { own: 'takingBuy', faults: ['loseRequest'], showsClientIds: true },
  lostSlice: { own: 'takingSale', faults: ['delayReply'] },
  noPrices: { own: 'takingSale', faults: ['loseRequest'], alike: 'below' },
  retriedFilled: { own: 'takingBuy', faults: ['refusal', 'loseReply'] },
  nextId: { own: 'takingBuy', faults: ['nextId'] },
};

export interface KillStageDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly journal: JournalDisk;
  readonly print: (text: string) => void;
}

/** The scene of one day. */
export class KillStage {
  readonly scene: Scene;
  readonly terms: KillTerms;
  readonly #deps: KillStageDeps;
  readonly #rng: Rng;
  readonly #sceneTerms: SceneTerms;
  /** The request of the order that was lost last. */
  #lostBody: string | null = null;
  /** Number of orders of the scene that have left, and when the last one did. */
  #ownCount = 0;
  #lastOwnMs = -Infinity;
  /** Symbol of the slice that was lost. */
  #sliceSymbol: string | null = null;
  #hasArrived = false;
  /** Number of operations of the disk when the journal was last searched. */
  #searchedOperations = -1;
  /** Lots that nothing distinguishes from those of the bot, by coin. */
  readonly #doubtLots = new Map<string, number>();

  constructor(deps: KillStageDeps, seed: number) {
    this.#deps = deps;
    this.#rng = rngOf(seed, 'killStage');
    this.scene = sceneOf(seed);
    this.#sceneTerms = SCENE_TERMS[this.scene];
    this.terms = { journal: 'whole', hidesClientIds: this.#sceneTerms.showsClientIds !== true, manual: 'alike' };
  }

  /** True from the first order of the scene on. */
  get hasBegun(): boolean {
    return this.#ownCount > 0;
  }
  /** True once all has happened for which the process must run. */
  get isComplete(): boolean {
    if (this.#ownCount < this.#sceneTerms.faults.length) return false;
    const afterMs = this.#deps.queue.nowMs - this.#lastOwnMs;
    if (this.scene === 'retriedFilled') return afterMs >= GOES_ON_MS;
    if (this.countsCopies) return this.#journalHas(UNATTRIBUTED_FILL) || afterMs >= GOES_ON_MS;
    if (this.scene === 'nextId') return this.#journalHas(UNKNOWN_STATE);
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
  /** True if the bot can query orders while the scene lasts. */
  get answersQueries(): boolean {
    return this.scene === 'retriedFilled' || this.countsCopies;
  }
  /** True if sales of a second copy reduce what the kill may sell. */
  get countsCopies(): boolean {
    return this.scene === 'copiedSale' || this.scene === 'unlistedCopy';
  }
  /** True if no reply has a client order id while the bot runs. */
  get hidesIdsFromBot(): boolean {
    return this.scene === 'retriedFilled';
  }
  /** By how much the kill begins later, ms: it must not end before the person has acted. */
  get killDelayMs(): number {
    return this.scene === 'noPrices' ? AFTER_FALL_MS : 0;
  }

  /** Returns the fault of a create; null without one. `isSlice`: the kill sends it. */
  faultOf(body: string, isSlice: boolean): Omit<RequestFault, 'requestNumber'> | null {
    if (isSlice) return this.#faultOfSlice(body);
    const faultKind = this.#sceneTerms.faults[this.#ownCount];
    if (faultKind === undefined || !this.#isOwn(body)) return null;
    this.#ownCount++;
    this.#lastOwnMs = this.#deps.queue.nowMs;
    if (faultKind !== 'refusal' && faultKind !== 'nextId') this.#lose(body);
    return { faultKind, size: LENGTH_SHARE * this.#rng.next() };
  }
  /** True for a create with which the scene begins, or for the next one with its terms. */
  #isOwn(body: string): boolean {
    const { venue } = this.#deps;
    const intent = intentOf(body, venue);
    if (intent === null) return false;
    const { own } = this.#sceneTerms;
    const price = venue.service.markets.find(({ instrument }) => instrument === intent.instrument)?.referencePrice ?? NaN;
    const isTaking = intent.side === 'buy' ? intent.limit > price : intent.limit < price;
    return own === 'takingSale' ? intent.side === 'sell' && isTaking : intent.side === 'buy' && isTaking === (own === 'takingBuy');
  }

  /** Notes an order that is lost, and has a person place one like it. */
  #lose(body: string): void {
    const { queue, venue } = this.#deps;
    this.#lostBody = body;
    const intent = intentOf(body, venue);
    const { alike } = this.#sceneTerms;
    if (intent === null || alike === undefined) return;
    if (alike === 'below') {
      venue.priceFactor *= FALL;
      const lower = { ...intent, limit: ticks(Math.round(intent.limit * LOWER_LIMIT)) };
      queue.at(queue.nowMs + AFTER_FALL_MS, () => this.#place(lower, false));
      return;
    }
    const afterMs = alike === 'later' ? ALIKE_AFTER_MS.later : ALIKE_AFTER_MS.inTime;
    queue.at(queue.nowMs + afterMs, () => this.#place(intent, alike === 'inTime', alike === 'named' ? OTHER_PROGRAM_ID : null));
  }
  /** Has a person place an order. `isDoubtful`: nothing distinguishes it from one of the bot. */
  #place(intent: OrderIntent, isDoubtful: boolean, clientOrderId: string | null = null): void {
    const { venue, print, queue } = this.#deps;
    // The clock of the exchange stands at its last event.
    venue.service.advance(queue.nowMs);
    const id = venue.placeManually(intent, clientOrderId);
    print(`a person places order ${id}: ${intent.side} ${intent.lots} lots at ${intent.limit}`);
    const { base } = intent.instrument;
    if (isDoubtful) this.#doubtLots.set(base, (this.#doubtLots.get(base) ?? 0) + intent.lots);
  }

  // --- While the kill runs

  /** Loses the reply to the first slice, and has a person sell as much. */
  #faultOfSlice(body: string): Omit<RequestFault, 'requestNumber'> | null {
    const { queue, venue } = this.#deps;
    const intent = intentOf(body, venue);
    if (this.scene !== 'lostSlice' || this.#sliceSymbol !== null || intent === null) return null;
    this.#sliceSymbol = intent.instrument.wireName;
    queue.at(queue.nowMs + ALIKE_AFTER_MS.inTime, () => this.#place(intent, true));
    return { faultKind: 'loseReply', size: LENGTH_SHARE };
  }
  /** UNSURE: a kill sends no slice of a symbol after one whose outcome nothing can show. */
  checkSlice(body: string): void {
    const { observer, queue } = this.#deps;
    if (this.#sliceSymbol === null || !body.includes(`"${this.#sliceSymbol}"`)) return;
    if (this.#hasArrived) observer.report('UNSURE', `a slice leaves while one is of unknown outcome: ${body}`, queue.nowMs);
    this.#hasArrived = true;
  }

  /** Lets the lost order arrive between the two last readings of the kill. */
  notePhase(phase: string, text: string): void {
    const { queue, venue } = this.#deps;
    if (this.scene !== 'lateInVerify' || this.#hasArrived || phase !== 'verifying' || this.#lostBody === null) return;
    const intent = intentOf(this.#lostBody, venue);
    const clientOrderId = clientOrderIdIn(this.#lostBody);
    if (intent === null || clientOrderId === undefined || !text.includes(intent.instrument.id)) return;
    this.#hasArrived = true;
    queue.at(queue.nowMs + ARRIVES_AFTER_MS, () => venue.placeLate(intent, clientOrderId, queue.nowMs));
  }

  /** True for a row that a list lacks while the kill reads it. */
  lacksRow(path: string, row: string): boolean {
    if (this.scene !== 'unlistedCopy' || !path.endsWith('/myTrades')) return false;
    const id = ownOrderOf(row);
    return this.#deps.venue.copies().some(({ order }) => order.id === id);
  }
  /** Returns a row of an order as a reply to the kill has it. */
  rowOf(row: string): string {
    return this.scene === 'noPrices' && fieldOf(row, 'orderId') !== '' ? row.replace(/"price":(?:"[^"]*"|[^,}]*),/, '') : row;
  }

  /** KILL: of what is certainly the bot's, a kill leaves nothing. What it leaves is in doubt: no more than orders that look like lost ones. */
  judge(): void {
    const { venue, observer, queue } = this.#deps;
    if (this.scene !== 'retriedSale' && this.scene !== 'noPrices') return;
    const base = this.#lostBody === null ? undefined : intentOf(this.#lostBody, venue)?.instrument.base;
    if (base === undefined) return;
    const [heldLots, doubtLots] = [venue.heldLots(base), this.#doubtLots.get(base) ?? 0];
    if (heldLots >= doubtLots + 1)
      observer.report('KILL', `the kill leaves ${heldLots} lots of ${base}, and ${doubtLots} lots are in doubt`, queue.nowMs);
  }
}
