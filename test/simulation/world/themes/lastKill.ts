// Ends a day with a kill that works without the bot, as `isobar kill` does after the bot has ended. Before it, the last creates of the bot are
// lost, and a person has placed similar orders by hand.

import { rmSync, mkdirSync } from 'node:fs';
import { lots, ticks, units } from '../../../../src/base/brand.ts';
import { ConfigError } from '../../../../src/base/errors.ts';
import type { Rng } from '../../../../src/base/number/rng.ts';
import type { OrderIntent } from '../../../../src/model/order.ts';
import { openExchange } from '../../../../src/access/openExchange.ts';
import { accessSettings } from '../../../../src/access/settings.ts';
import { orderNumberOf } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { Scheduler } from '../../../../src/ports/scheduler.ts';
import { botFileOf } from '../../../../src/tasks/bot/botFile.ts';
import { standaloneKill } from '../../../../src/tasks/kill/separate/standaloneKill.ts';
import type { KillReport } from '../../../../src/tasks/kill/kill.ts';
import type { BotProcess } from '../botProcess.ts';
import type { JournalDisk } from '../journalDisk.ts';
import type { SimulatedNetwork } from '../network.ts';
import type { Observer } from '../observer.ts';
import { SYMBOLS, type SimulatedVenue } from '../venue.ts';
import { LOTS_PER_COIN, UNITS_PER_LOT } from '../venueTerms.ts';
import type { RequestFault } from '../schedule.ts';
import { fieldOf } from './replies.ts';
import { rngOf } from '../draws.ts';
import { coinUnitsOf } from '../exchange/tradeUnits.ts';
import { intentOf, withOtherTerm } from './manualOrders.ts';
import { KillScene } from './scenes/killScene.ts';
import type { KillSituation } from './scenes/scenes.ts';

/** Longest time from the first lost create until the process ends, ms. */
const LOSING_MS = 90_000;
/** Time from the end of the process until the kill begins, ms. */
const KILL_AFTER_MS = { min: 3000, max: 60_000 };
/** Time without progress after which the kill ends, s. */
const GIVE_UP_SECONDS = 600;
/** Age of the copy of the journal with which the kill works on some days, ms. */
const COPY_AGE_MS = 240_000;
/** Time between two checks whether the scene of a day is complete, ms. */
const SCENE_CHECK_MS = 20;
/** Number of orders that fill a list. */
const LIST_LENGTH = 1000;
/** Time from the start of the day until creates are lost, ms. */
const LOSING_FROM_MS = { min: 900_000, range: 1_500_000 };
/** Longest time from then until the process ends, also if no create was lost, ms. */
const MAX_WAIT_MS = 3_000_000;
/** Time until it is tried again to end a process that is down, ms. */
const RETRY_MS = 5000;

/** The parts of the simulated day that the kill needs. */
export interface LastKillDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly observer: Observer;
  readonly network: SimulatedNetwork;
  readonly journal: JournalDisk;
  /** Folder of the journal on the disk of this computer. */
  readonly folder: string;
  readonly currentProcess: () => BotProcess | null;
  /** Ends the process for good. */
  readonly endProcess: () => void;
  readonly print: (text: string) => void;
}

/** The situations in which a day ends; the seed of the day selects one. With an old journal and hidden client order ids, nothing would show that an order is the bot's. */
const KILL_SITUATIONS: readonly KillSituation[] = [
  { journal: 'old', hidesClientIds: false, manual: 'similarOrders' },
  { journal: 'none', hidesClientIds: true, manual: 'similarOrders' },
  { journal: 'whole', hidesClientIds: true, manual: 'fullList' },
  { journal: 'whole', hidesClientIds: true, manual: 'lockedCoins' },
  { journal: 'whole', hidesClientIds: true, manual: 'similarOrders' },
  { journal: 'whole', hidesClientIds: true, manual: 'similarOrders' },
  { journal: 'whole', hidesClientIds: false, manual: 'similarOrders' },
];

/** Address of the exchange, which the simulated network ignores. */
const UNUSED_URL = 'http://127.0.0.1:1';

/** The kill that ends one day, and the lost creates and manual orders before it. */
export class LastKill {
  /** True from the first lost create on. */
  isLosing = false;
  /** True while the kill runs. */
  isRunning = false;
  /** True once the kill has ended, and so the day. */
  isOver = false;
  readonly situation: KillSituation;
  /** The scene of a day of `stagedKills`; null on a day of `twins`. */
  readonly scene: KillScene | null;
  readonly #deps: LastKillDeps;
  readonly #rng: Rng;
  /** The lost creates. `isDone`: only the reply was lost. */
  readonly #lostCreates: { readonly body: string; readonly isDone: boolean; readonly leftMs: number }[] = [];
  /** True from the time on at which creates are lost. */
  #isArmed = false;
  /** Venue order ids of manual orders that nothing distinguishes from an order of the bot. */
  readonly #indistinguishableIds = new Set<string>();
  /** The trades that the journal has, as instrument and trade id. */
  #journalTrades: ReadonlySet<string> = new Set();
  /** The next list of trades lacks the trades from this time on, ms UTC. */
  #lackedFromMs = Infinity;

  constructor(deps: LastKillDeps, seed: number, hasScene: boolean) {
    this.#deps = deps;
    this.#rng = rngOf(seed, 'lastKill');
    this.scene = hasScene ? new KillScene(deps, seed) : null;
    this.situation = this.scene?.situation ?? KILL_SITUATIONS[seed % KILL_SITUATIONS.length]!;
    deps.venue.allowances.mayReuseNumbers = this.situation.journal === 'old';
    const { queue } = deps;
    const beginMs = queue.nowMs + LOSING_FROM_MS.min + Math.floor(this.#rng.next() * LOSING_FROM_MS.range);
    queue.at(beginMs, () => {
      this.#isArmed = true;
      // On these days no create is lost, so that the bot knows every order.
      if (this.situation.manual === 'lockedCoins') this.#endProcess();
    });
    queue.at(beginMs - COPY_AGE_MS, () => {
      if (this.situation.journal === 'old') deps.journal.mirrorToDisk();
    });
    queue.at(beginMs + MAX_WAIT_MS, () => this.#endProcess());
  }

  /** Returns the fault of a create. The scene of the day decides about it; without a scene all creates from a time on are lost. */
  faultOf(createNumber: number, body: string): RequestFault | undefined {
    if (this.scene !== null) return this.#sceneFault(this.scene, createNumber, body);
    if (this.isRunning || !this.#isArmed || this.#deps.currentProcess()?.opened == null) return undefined;
    if (this.situation.manual === 'lockedCoins') return undefined;
    if (!this.isLosing) this.#beginLosing();
    return { faultKind: this.#rng.next() < 0.6 ? 'loseReply' : 'loseRequest', requestNumber: createNumber, draw: 0.2 };
  }
  /** Returns the fault of a create in the scene of the day. The scene ends the process once all that it needs has happened. */
  #sceneFault(scene: KillScene, requestNumber: number, body: string): RequestFault | undefined {
    if (!this.#isArmed || (!this.isRunning && this.#deps.currentProcess()?.opened == null)) return undefined;
    const fault = scene.faultOf(body, this.isRunning);
    if (scene.hasBegun && !this.isLosing) {
      this.isLosing = true;
      this.#endOnceComplete(scene);
    }
    return fault === null ? undefined : { ...fault, requestNumber };
  }
  /** Ends the process once the scene is complete. */
  #endOnceComplete(scene: KillScene): void {
    const { queue } = this.#deps;
    if (scene.isComplete) this.#endProcess();
    else queue.at(queue.nowMs + SCENE_CHECK_MS, () => this.#endOnceComplete(scene));
  }
  /** True while the bot cannot query orders. It sees fills of lost orders, but not to which order they belong. */
  get silencesQueries(): boolean {
    return this.isLosing && !this.isRunning && this.scene?.answersQueries !== true;
  }
  /** Notes a create that leaves. `isDone`: the exchange carries it out. */
  noteCreate(body: string, isDone: boolean): void {
    if (this.isRunning) this.scene?.checkSlice(body);
    if (this.isLosing && !this.isRunning) this.#lostCreates.push({ body, isDone, leftMs: this.#deps.queue.nowMs });
  }

  /** Loses all creates from now on, and ends the process some time later: in half of the days at once. */
  #beginLosing(): void {
    const { queue } = this.#deps;
    this.isLosing = true;
    const afterMs = this.#rng.next() < 0.5 ? 40 : Math.floor(this.#rng.next() * LOSING_MS);
    queue.at(queue.nowMs + afterMs, () => this.#endProcess());
  }

  /** Ends the process. A person then places manual orders, and the kill begins. */
  #endProcess(): void {
    const { queue, currentProcess, endProcess, journal, folder } = this.#deps;
    const opened = currentProcess()?.opened;
    if (this.isRunning || this.isOver) return;
    if (opened == null) return void queue.at(queue.nowMs + RETRY_MS, () => this.#endProcess());
    this.#isArmed = true;
    this.isRunning = true;
    this.#journalTrades = tradesIn(journal);
    const botFile = { ...botFileOf(opened), journal: `${folder}/journal` };
    if (this.situation.journal !== 'old') journal.mirrorToDisk();
    if (this.situation.journal === 'none') {
      rmSync(botFile.journal, { recursive: true, force: true });
      mkdirSync(botFile.journal, { recursive: true, mode: 0o700 });
    }
    endProcess();
    if (this.scene === null) this.#placeManualOrders();
    const afterMs = KILL_AFTER_MS.min + this.#rng.next() * (KILL_AFTER_MS.max - KILL_AFTER_MS.min);
    queue.at(queue.nowMs + Math.floor(afterMs) + (this.scene?.killDelayMs ?? 0), () => this.#startKill(botFile));
  }

  /** Returns a row of a reply to the kill; null for a row that the reply lacks. */
  rowOf(path: string, row: string): string | null {
    if (this.scene?.lacksRow(path, row) === true) return null;
    if (path.endsWith('/myTrades')) return Number(fieldOf(row, 'time')) >= this.#lackedFromMs ? null : row;
    const shownRow = this.scene?.rowOf(path, row) ?? row;
    return this.situation.hidesClientIds ? shownRow.replace(/"clientOrderId":"[^"]*"/, '"clientOrderId":"0"') : shownRow;
  }
  /** Draws whether the next list of trades lacks the newest trade that the journal has, and all later ones. */
  drawList(symbol: string): void {
    this.#lackedFromMs = Infinity;
    if (this.scene !== null || this.situation.journal === 'old' || this.situation.manual === 'lockedCoins' || this.#rng.next() > 0.35)
      return;
    const knownTrades = [...this.#deps.venue.orders.byId.values()].flatMap(({ order, trades }) =>
      order.instrument.wireName === symbol ? trades.filter(({ tradeId }) => this.#journalTrades.has(`spot:${symbol} ${tradeId}`)) : [],
    );
    const newestMs = knownTrades.reduce((max, { timeMs }) => Math.max(max, timeMs), -Infinity);
    if (newestMs > -Infinity) this.#lackedFromMs = newestMs;
  }

  // --- Orders by hand

  /** Makes a person place orders like the lost ones, and what else the situation of the day needs. */
  #placeManualOrders(): void {
    const { queue, venue } = this.#deps;
    for (const { body, isDone, leftMs } of this.#lostCreates) {
      const intent = intentOf(body, venue);
      if (intent === null || this.#rng.next() < 0.25) continue;
      const differenceDraw = this.#rng.next();
      const clientOrderId = this.#rng.next() < 0.5 ? 'OTHERPROGRAM1' : null;
      const hasOtherTerm = differenceDraw < 0.3;
      const isNamed = clientOrderId !== null && !this.situation.hidesClientIds;
      // If the exchange never had the lost order, an equal manual order in its admission window would be taken for it. So it comes later.
      const isLater = !isNamed && !hasOtherTerm && (!isDone || differenceDraw < 0.6);
      const atMs = leftMs + (isLater ? 7000 + Math.floor(this.#rng.next() * 20_000) : 500);
      const manualIntent = hasOtherTerm ? withOtherTerm(intent, this.#rng.next()) : intent;
      queue.at(Math.max(queue.nowMs + 100, atMs), () => {
        const id = venue.placeManually(manualIntent, clientOrderId);
        // If the bot's order ends before the kill reads the list, only this manual order fits the lost request.
        if (id !== null && !isLater && manualIntent === intent) this.#indistinguishableIds.add(id);
      });
    }
    if (this.situation.manual === 'lockedCoins') this.#lockCoins();
    if (this.situation.manual !== 'fullList') return;
    const { instrument } = venue.side.market('AAAUSDT')!;
    for (let index = 0; index < LIST_LENGTH; index++)
      venue.placeManually(
        {
          instrument,
          side: 'buy',
          role: 'limit',
          lots: lots(1000 + index),
          quoteUnits: units(0),
          limit: ticks(50),
          reduceOnly: false,
          timeInForce: null,
          slot: '',
        },
        null,
      );
  }

  /** Locks the coins of the account, and a part of those of the bot, in orders far from the price. */
  #lockCoins(): void {
    const { venue } = this.#deps;
    for (const base of SYMBOLS) {
      const { instrument } = venue.side.market(`${base}USDT`)!;
      const heldLots = Math.floor(venue.heldLots(base) * (0.2 + 0.6 * this.#rng.next()));
      const sellAll = {
        instrument,
        side: 'sell',
        role: 'limit',
        lots: lots(500_000 + heldLots),
        quoteUnits: units(0),
        limit: ticks(90_000),
        reduceOnly: false,
      };
      venue.placeManually({ ...sellAll, timeInForce: null, slot: '' } as OrderIntent);
    }
  }

  // --- The kill

  /** Runs the kill as `isobar kill` does, and checks its report. */
  #startKill(botFile: ReturnType<typeof botFileOf>): void {
    const { queue, venue, network, print } = this.#deps;
    const { key } = venue;
    const environment = {
      ISOBAR_API_KEY: key.apiKey,
      ISOBAR_API_SECRET: key.secret,
      ISOBAR_SPOT_URL: UNUSED_URL,
      ISOBAR_FUTURES_URL: UNUSED_URL,
      XDG_STATE_HOME: this.#deps.folder,
    };
    const exchange = openExchange(accessSettings({}, environment), {
      scheduler: new QueueScheduler(queue),
      network: { send: network.wireOf({ isDead: false }), close: async () => {} },
      random: () => this.#rng.next(),
    });
    const openManualOrders = venue.side.unendedOrders().filter(({ id }) => venue.manual.tradesById.has(id));
    const onPhase = (phase: string, text: string): void => {
      print(`kill ${phase}: ${text}`);
      this.scene?.notePhase(phase, text);
    };
    const options = { flatten: true, all: false, onPhase, giveUpSeconds: GIVE_UP_SECONDS, exchange, endBot: () => Promise.resolve(null) };
    standaloneKill(botFile, options).then(
      (report) =>
        this.#checkReport(
          report,
          openManualOrders.map(({ id }) => id),
        ),
      (error: unknown) => {
        if (!(error instanceof ConfigError)) this.#deps.observer.report('KILL', `the kill ended: ${String(error)}`, queue.nowMs);
        print(`the kill ended: ${String(error)}`);
        this.isOver = true;
      },
    );
  }

  /**
   * Returns the lots of the order whose acknowledgement had the id of another order (`nextId`), if the bot took it for a second copy because of its
   * client order id. A kill leaves what a second copy has bought.
   */
  #mistakenLots(base: string): number {
    const { venue, observer } = this.#deps;
    const clientOrderId = this.scene?.wrongIdOrder ?? null;
    if (clientOrderId === null || !observer.isNamedCopy(clientOrderId)) return 0;
    const trades = [...venue.orders.byId.values()].flatMap((placed) => (placed.clientOrderId === clientOrderId ? placed.trades : []));
    const ofCoin = trades.filter(({ instrument }) => instrument.base === base);
    return ofCoin.reduce((sum, trade) => sum + coinUnitsOf(trade), 0) / UNITS_PER_LOT;
  }

  /** Checks rule KILL: the report is true. HAND: no order of a person was cancelled. S3: no coin of a person was sold. */
  #checkReport({ residuals, dust, slices }: KillReport, openManualOrders: readonly string[]): void {
    const { venue, observer, queue, print } = this.#deps;
    print(`the kill left ${residuals.join('; ') || 'nothing'} after ${slices.length} slices; dust ${dust.join()}`);
    for (const id of openManualOrders)
      if (isCancelled(venue, id) && !this.#indistinguishableIds.has(id))
        observer.report('HAND', `the kill cancelled order ${id}, which a person has placed`, queue.nowMs);
    const arePositionsUnknown = residuals.some((text) => text.includes('positions are unknown'));
    for (const base of SYMBOLS) {
      const heldLots = this.scene?.countsCopies ? venue.closableLots(base) : venue.heldLots(base) - this.#mistakenLots(base);
      if (heldLots < 0) observer.report('S3', `${base}: the kill sold ${-heldLots} lots that the bot did not have`, queue.nowMs);
      const textsOfCoin = [...residuals, ...dust].filter((text) => text.includes(base));
      const namedLots = textsOfCoin.reduce((sum, text) => sum + lotsIn(text, base), 0);
      // A doubt about an order says nothing about how much is left.
      const isUnproved = arePositionsUnknown || textsOfCoin.some((text) => !/ left|the outcome of order|is not ours/.test(text));
      if (heldLots >= 1 && !isUnproved && namedLots < heldLots - 1)
        observer.report('KILL', `the kill says that ${namedLots} lots of ${base} are left, ${heldLots} lots are held`, queue.nowMs);
      const freeLots = venue.service.spot.venue.free(0, base) / UNITS_PER_LOT;
      if (this.situation.manual === 'lockedCoins' && Math.min(heldLots, freeLots) >= 1)
        observer.report('KILL', `the kill leaves ${freeLots} lots of ${base} that are free`, queue.nowMs);
    }
    this.scene?.judge();
    if (residuals.length === 0 && venue.openOrders().length > 0)
      observer.report('KILL', `the kill says that all is cancelled, and ${venue.openOrders().length} orders are working`, queue.nowMs);
    this.isOver = true;
  }
}

/** True if the exchange has cancelled an order. */
const isCancelled = ({ side }: SimulatedVenue, venueOrderId: string): boolean =>
  side.orders.orderNumbered(orderNumberOf(venueOrderId))?.ended?.status === 'CANCELED';

/** Returns the trades of a journal, as instrument and id. */
function tradesIn(journal: JournalDisk): ReadonlySet<string> {
  const text = Buffer.concat(journal.contents()).toString();
  const fillLines = text.matchAll(/"k":"FILL"[^\n]*/g);
  return new Set(Array.from(fillLines, ([line]) => `${fieldOf(line, 'symbol')} ${fieldOf(line, 'tradeId')}`));
}

/** Returns the lots that a text names as left. */
const lotsIn = (text: string, base: string): number =>
  Number(new RegExp(`([0-9.]+)(?: ${base})? left`).exec(text)?.[1] ?? 0) * LOTS_PER_COIN;

/** The clock of a computer without skew. */
class QueueScheduler implements Scheduler {
  readonly #queue: DueQueue;
  constructor(queue: DueQueue) {
    this.#queue = queue;
  }
  get nowMs(): number {
    return this.#queue.nowMs;
  }
  at(timeMs: number, run: () => void): number {
    return this.#queue.at(Math.max(this.#queue.nowMs, Math.ceil(timeMs)), run);
  }
  cancel(handle: number): void {
    this.#queue.cancel(handle);
  }
}
