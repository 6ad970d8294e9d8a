// Restores the exchange services after a restart: orders, trades and cursors from the journal.

import type { JournalState } from '../../../adapters/journal/records/journalState.ts';
import { indexOf } from '../../../adapters/journal/records/restoredOrders.ts';
import { scaledFromRecord } from '../../../adapters/journal/records/recordDecimals.ts';
import { fundingTotalIn, fundingTotalText } from '../../../adapters/exchange/account/funding.ts';
import type { RestoredTrackedOrder as ServiceOrder } from '../../../adapters/exchange/calls/types.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { RestoredOrder } from '../../../orders/restoreBotOrder.ts';
import { foreignOrderId, venueIdOfForeignOrder } from '../account/foreignOrderId.ts';
import type { LiveBot } from './liveBot.ts';
import type { MarketRouter } from '../account/marketRouter.ts';
import type { BotJournal } from '../journal/botJournal.ts';

/** Restores each service, and then connects them to the driver: a connected one may step the bot, which may send orders to any market. */
export function restoreServices(bot: LiveBot, services: MarketRouter, orders: readonly RestoredOrder[], journal: BotJournal): void {
  const { state, trades, clientOrderIdOf } = journal;
  const isFirstStart = Number.isNaN(state.firstMs);
  for (const [market, service] of services.entries()) {
    if (!isFirstStart) {
      service.restore({
        orders: orders
          .filter(({ instrument, state: orderState }) => instrument.market === market && orderState !== 'notSent')
          .map((order) => serviceOrder(order, clientOrderIdOf, state)),
        trades,
        symbols: [...state.symbols],
        sinceMs: state.firstMs,
        unattributedFills: state.unattributedFills.map((record) => ({ ...record })),
        duplicates: bot.deps.engine.risk.halts.causes().find(({ code }) => code === 'DUPLICATE')?.why ?? null,
        ended: state.endedIds,
        cursors: cursorsOf(state, market, bot.deps.engine.instruments),
      });
    }
    const ignored = state.decisions.filter(({ what, id }) => what === 'ignore' && id.startsWith(`${market}:`));
    for (const { id } of ignored) service.ignore(venueIdOfForeignOrder(id));
  }
  for (const service of services.all()) service.connect(bot.driver);
}

/** Returns an order as the service of its market tracks it. */
function serviceOrder(
  order: RestoredOrder,
  clientOrderIdOf: (id: OrderId) => string,
  { unfinished, decisions }: JournalState,
): ServiceOrder {
  const clientOrderId = clientOrderIdOf(order.id);
  const records = unfinished.get(clientOrderId);
  const isUnconfirmed = records?.state?.lifecycle === 'done';
  return {
    request: order satisfies Pick<Order, 'id' | 'instrument'>,
    clientOrderId,
    signMs: order.signMs,
    venueId: order.venueId === null ? null : String(order.venueId),
    contestedId: records?.contestedId ?? null,
    isAdopted: decisions.some(({ what, id }) => what === 'adopt' && id === foreignOrderId(order.instrument.id, String(order.venueId))),
    filledLots: order.filledLots,
    filledUnits: order.filledUnits,
    ...(records !== undefined && records.fills.length > 0 ? { lastFillMs: records.fills.at(-1)!.executedMs } : {}),
    state: trackedState(order, isUnconfirmed),
  };
}

/** Returns the state in which a service tracks a restored order. `isUnconfirmed`: the order has ended, but the exchange has not confirmed it. */
function trackedState({ state }: RestoredOrder, isUnconfirmed: boolean): ServiceOrder['state'] {
  if (state === 'refused' || state === 'provenAbsent') return 'provenAbsent';
  if (state === 'unknown') return 'unknown';
  if (isUnconfirmed) return 'unconfirmed';
  return state === 'cancelSent' ? 'cancelSent' : 'working';
}

/** Returns the cursors of a market. Totals are noted by asset, which both markets may have, so their names include the market. */
function cursorsOf({ cursors, unnoted }: JournalState, market: Market, instruments: readonly Instrument[]): ReadonlyMap<string, string> {
  const marketCursors = [...cursors.values()].filter(({ symbol }) => !symbol.includes('/') || symbol.startsWith(`${market}/`));
  const keyOf = (symbol: string, channel: string): string => `${symbol.replace(`${market}/`, '')} ${channel}`;
  const values = new Map(marketCursors.map(({ symbol, channel, value }) => [keyOf(symbol, channel), value]));
  // Add amounts that are booked and not noted yet; otherwise they would be booked again.
  for (const [key, amount] of unnoted) {
    const symbol = key.slice(0, key.indexOf(' '));
    const { quoteDigits } = instruments[indexOf(symbol, instruments)]!;
    const noted = fundingTotalIn(values.get(key) ?? '0');
    values.set(key, fundingTotalText({ ...noted, units: noted.units + scaledFromRecord(amount.toFixed(), quoteDigits) }));
  }
  return values;
}
