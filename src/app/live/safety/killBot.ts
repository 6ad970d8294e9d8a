// A kill from inside the bot: what it knows of its own orders goes to the wire at once; the rest is the kill that works without a bot, too.

import type { InstrumentId, Market } from '../../../model/instrument.ts';
import type { OrderId } from '../../../model/order.ts';
import { fromScaled } from '../../../base/decimal.ts';
import type { KillView } from '../../control/botView.ts';
import type { KillOrders } from '../../kill/cancel/cancelAll.ts';
import { runKill, type KillBooks, type KillReport } from '../../kill/kill.ts';
import { askedFor } from '../../kill/killPlan.ts';
import { sliceJournal } from '../../kill/flatten/sliceJournal.ts';
import { KILL_SETTINGS } from '../../kill/venue.ts';
import type { LiveBot } from '../liveBot.ts';

/** Slices are numbered from so far above the newest order, so that none that the engine still drafts has the number of one. */
const SLICE_GAP = 1_000_000;

/** The gate is closed. Never throws for what the exchange does: a report with residuals says it. */
export function killBot(bot: LiveBot, flatten: boolean, tell: (phase: KillView['phase'], says: string) => void): Promise<KillReport> {
  const { exchange, engine, config } = bot.parts;
  return runKill(
    {
      client: exchange.ungated,
      scheduler: exchange.scheduler,
      serverTime: (market) => exchange.serverTime(market),
      instruments: engine.instruments,
      settings: { ...KILL_SETTINGS, readLagMs: config.orders.readLagMs, busDelayMs: config.proof.deltaMinMs },
      tell,
    },
    knownOf(bot),
    { all: false, books: flatten ? () => booksOf(bot) : null },
  );
}

function knownOf({ parts: { engine, cidOf, journal } }: LiveBot): KillOrders {
  const open = new Map<InstrumentId, string[]>();
  const [venueIds, cids, asked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const unknown: Partial<Record<Market, number>> = {};
  for (const order of [...engine.orders.active(), ...engine.orders.tombstones.values()]) {
    const { instrument, venueId, lifecycle } = order;
    cids.add(cidOf(order.id));
    if (venueId !== null) venueIds.add(String(venueId));
    if (venueId !== null && lifecycle !== 'done') open.set(instrument.id, [...(open.get(instrument.id) ?? []), String(venueId)]);
    if (venueId !== null) continue;
    asked.add(
      askedFor(instrument.id, {
        side: order.side,
        price: order.limit > 0 ? fromScaled(order.limit, instrument.priceDigits) : null,
        qty: fromScaled(order.lots, instrument.quantityDigits),
      }),
    );
    if (lifecycle !== 'done') unknown[instrument.market] = Math.max(unknown[instrument.market] ?? -Infinity, journal.signMs(order));
  }
  return { own: { venueIds, cids, asked }, open, unknownSignMs: unknown };
}

/**
 * Called once nothing is open any more: what is held then is what the books say, after they were compared once more. From then on the bot
 * rests: it would take the slices for orders of somebody else.
 */
async function booksOf(bot: LiveBot): Promise<KillBooks> {
  for (const service of bot.parts.services.all()) await new Promise<void>((resolve) => service.audit('full', () => resolve()));
  await new Promise<void>((resolve) => bot.rest(resolve));
  const { engine, journal, cidOf, venueMs } = bot.parts;
  const { ledger, instruments, runs } = engine;
  let last = engine.orders.count + SLICE_GAP;
  const strategyOf = (index: number): number =>
    Math.max(
      0,
      runs.findIndex((_, strategy) => ledger.qty(strategy, index) !== 0),
    );
  return {
    spot: instruments.flatMap((instrument, index) => {
      if (instrument.market !== 'spot') return [];
      const booked = new Set(bot.booked.of(instrument.id));
      return runs.flatMap(({ index: strategy }) => {
        const qty = ledger.qty(strategy, index);
        return qty > 0 ? [{ instrument, qty: fromScaled(qty, ledger.qtyDigits(index)), booked, strategy }] : [];
      });
    }),
    strategyOf: ({ id }) => strategyOf(instruments.findIndex((each) => each.id === id)),
    journal: sliceJournal({
      journal,
      nextId: () => ++last as OrderId,
      cidOf,
      durable: (seq) => bot.durable(seq),
      indexOf: ({ instrument }) => instruments.findIndex(({ id }) => id === instrument.id),
      nowMs: venueMs,
    }),
  };
}
