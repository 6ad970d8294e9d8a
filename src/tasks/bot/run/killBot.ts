// Kills a bot from inside: cancels the orders that the bot knows at once. The rest is the same as in a kill without the bot.

import type { LostOrder } from '../../kill/plan/attribution.ts';
import { JournalBooks } from '../../kill/evidence/journalBooks.ts';
import { incidentRecord } from '../../../adapters/exchange/calls/types.ts';
import { parseTriggerTrackId } from '../../../adapters/exchange/calls/triggers.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import type { InstrumentId, Market } from '../../../model/instrument.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import { orderIdIn, runPrefixOf } from '../../../protocol/clientOrderId.ts';
import type { KillView } from '../../control/botView.ts';
import type { KillOrders } from '../../kill/cancel/killOrders.ts';
import { runKill, type KillBooks, type KillReport } from '../../kill/kill.ts';
import { SLICE_GAP, sliceJournal } from '../../kill/flatten/sliceJournal.ts';
import { killSettings, readWhole, windowOf } from '../../kill/separate/standaloneKill.ts';
import type { KillSettings } from '../../kill/plan/killVenue.ts';
import { journalFolder } from '../journal/botJournal.ts';
import type { LiveBot } from './liveBot.ts';

/** Time limit for requests in flight. A kill does not depend on them. */
const MAX_STOP_MS = 15_000;

/** Runs the kill after the kill switch has closed. Never throws because of the exchange: the report lists residuals. */
export function killBot(bot: LiveBot, flatten: boolean, onPhase: (phase: KillView['phase'], message: string) => void): Promise<KillReport> {
  const { exchange, engine, config, absenceBounds, journal } = bot.deps;
  const { orders, timeScale } = config;
  const settings = killSettings({ readLagMs: orders.readLagMs, busDelayMs: absenceBounds.visibilityDelayMs, timeScale });
  return runKill(
    {
      client: exchange.ungated,
      scheduler: exchange.scheduler,
      serverTime: (market) => exchange.serverTime(market),
      instruments: engine.instruments,
      settings,
      botDelayMs: () => absenceBounds.visibilityDelayMs,
      timeScale,
      onPhase,
      onIncident(market, venueMs) {
        absenceBounds.onIncident(venueMs);
        journal.cursor(incidentRecord(market, venueMs));
      },
    },
    knownOrdersOf(bot, settings),
    { includesForeign: false, books: flatten ? () => openBooks(bot, settings) : null, believedPositions: () => bookedPositions(bot) },
  );
}

/** Returns the orders of the bot: with their venue order ids, or as lost. */
function knownOrdersOf({ deps: { engine, clientOrderIdOf, journal } }: LiveBot, { recvWindowMs }: KillSettings): KillOrders {
  const open = new Map<InstrumentId, string[]>();
  const waiting = new Map<InstrumentId, string[]>();
  const addTo = (idsByInstrument: Map<InstrumentId, string[]>, id: InstrumentId, venueId: string): void =>
    void idsByInstrument.set(id, [...(idsByInstrument.get(id) ?? []), venueId]);
  const venueIds = new Set<string>();
  const lost: LostOrder[] = [];
  const unknownUntilMs: Partial<Record<Market, number>> = {};
  for (const order of [...engine.orders.active(), ...engine.orders.provenAbsent.values()]) {
    const { instrument, venueId, lifecycle } = order;
    const signMs = journal.signMs(order);
    const triggerId = parseTriggerTrackId(venueId === null ? null : String(venueId))?.triggerId;
    // A waiting trigger order may fire. If the order that it places has no client order id in a list, its terms identify it, as a lost order's do.
    if (triggerId !== undefined && lifecycle !== 'done') {
      addTo(waiting, instrument.id, triggerId);
      lost.push(lostOf(order, clientOrderIdOf(order.id), { signMs, latestMs: Infinity, hasNoEffect: true }));
      continue;
    }
    if (venueId !== null) venueIds.add(String(venueId));
    if (venueId !== null && lifecycle !== 'done') addTo(open, instrument.id, String(venueId));
    // The engaged kill switch stops requests that have not been sent yet.
    if (venueId !== null || lifecycle === 'draft') continue;
    const latestMs = signMs + recvWindowMs;
    lost.push(lostOf(order, clientOrderIdOf(order.id), { signMs, latestMs, hasNoEffect: lifecycle === 'done' }));
    const { market } = instrument;
    if (lifecycle !== 'done') unknownUntilMs[market] = Math.max(unknownUntilMs[market] ?? -Infinity, latestMs);
  }
  const prefix = runPrefixOf(clientOrderIdOf);
  const ownOrders = {
    isOwnId: (venueId: string) => venueIds.has(venueId),
    isOwnCid: (cid: string) => orderIdIn(prefix, cid) !== null,
    lostOf: (id: InstrumentId) => lost.filter(({ request }) => request.instrument.id === id),
    withoutVenueId: lost,
  };
  const triggered = new Set(engine.triggerOrders.hasSent ? engine.instruments.map(({ id }) => id) : []);
  return { own: ownOrders, open, waiting, triggered, unknownUntilMs };
}

/** Returns an order without a venue order id, with the terms by which it may be found. */
function lostOf(order: Order, clientOrderId: string, facts: Pick<LostOrder, 'signMs' | 'latestMs' | 'hasNoEffect'>): LostOrder {
  const { instrument, side, limit, lots, reduceOnly, strategy, quoteUnits, triggerTicks = 0 } = order;
  const amount = lots > 0 ? null : fromScaled(quoteUnits, instrument.quoteDigits);
  const request = { instrument, side, limit, lots, reduceOnly };
  return { cid: clientOrderId, strategy, amount, request, triggerTicks, ...facts };
}

/** Returns the positions in the bot's books, as residuals that are not proved to be closed. */
function bookedPositions({ deps: { engine, plan } }: LiveBot): readonly string[] {
  const { ledger, instruments, runs } = engine;
  return instruments.flatMap(({ id, market }, index) => {
    const sumOf = (qtyOf: (strategyIndex: number) => number): number => runs.reduce((sum, run) => sum + qtyOf(run.index), 0);
    const longQty = (): number => sumOf((strategy) => ledger.closable(strategy, index, false, true));
    const shortQty = (): number => -sumOf((strategy) => ledger.closable(strategy, index, true, true));
    // In two-way mode long and short are apart, and their sum may be 0.
    const isTwoWay = market === 'futures' && plan.futures?.isNet === false;
    const quantities = isTwoWay ? [longQty(), shortQty()] : [sumOf((strategy) => ledger.qty(strategy, index))];
    const open = quantities.filter((qty) => qty !== 0);
    return open.map((qty) => `${id}: ${fromScaled(qty, ledger.qtyDigits(index))} by the books, not proved to be closed`);
  });
}

/**
 * Called once no order is open. From then on the bot does not trade, because it would take the slices for foreign orders. Positions are derived from
 * the journal, as in a kill without the bot.
 */
async function openBooks(bot: LiveBot, { recvWindowMs }: KillSettings): Promise<KillBooks> {
  const { engine, journal, clientOrderIdOf, venueMs, exchange, config, plan } = bot.deps;
  await new Promise<void>((resolve) => {
    exchange.scheduler.at(exchange.scheduler.nowMs + MAX_STOP_MS, () => resolve());
    bot.stopTrading(resolve);
  });
  await bot.waitUntilDurable(journal.lastSeq);
  const { instruments } = engine;
  const books = new JournalBooks(instruments);
  readWhole(journalFolder(config), books.add);
  books.complete({ isTorn: false, nowMs: venueMs(), recvWindowMs });
  let lastOrderId = engine.orders.count + SLICE_GAP;
  return {
    books,
    isNet: plan.futures?.isNet ?? true,
    journal: sliceJournal({
      journal,
      nextId: () => ++lastOrderId as OrderId,
      clientOrderIdOf,
      waitUntilDurable: (seq) => bot.waitUntilDurable(seq),
      indexOf: ({ instrument }) => instruments.findIndex(({ id }) => id === instrument.id),
      nowMs: venueMs,
      books,
      window: ({ instrument: { market } }) => windowOf(exchange, market, recvWindowMs),
    }),
  };
}
