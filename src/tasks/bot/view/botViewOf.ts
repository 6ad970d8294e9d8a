// Builds the view of a running bot: a snapshot of plain values, made on request.

import { Decimal, fromScaled } from '../../../base/number/decimal.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Exchange } from '../../../access/openExchange.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';
import { typicalLengthMs } from '../../../model/interval.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { BotView, FeedView, HeadroomView, KillView, PositionView, StrategyView } from '../../control/botView.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import { scopeName, scopeViews, type ScopeNames } from '../../control/scopes.ts';
import type { Ledger } from '../../../portfolio/ledger.ts';
import { futuresLedgerOf } from '../../../portfolio/pairedLedger.ts';
import { packageVersion } from '../../../adapters/runtime/version.ts';
import { foreignOrdersOf } from '../run/foreignOrders.ts';
import type { EquityBook } from '../run/equityBook.ts';
import type { LiveBot } from '../run/liveBot.ts';
import { MAX_PLOT_BARS, type PlotBook } from '../feeds/plotBook.ts';
import { orderView, unknownView } from './orderViews.ts';
import { positionMoneyText, positionProfit } from './positionValue.ts';
import { seriesViews } from './seriesViews.ts';
import type { OrderCounts } from '../journal/narratedJournal.ts';

/** The bot, and the facts that its view adds. */
export interface BotViewDeps {
  readonly bot: LiveBot;
  readonly counts: OrderCounts;
  readonly startedMs: number;
  readonly kill: KillView | null;
  /** True when a kill in this process has proved that no order and no position is open. The engine's ledger does not show that. */
  readonly isFlat: boolean;
  readonly loopDelayP99Ms: number | null;
}

/** Maximum number of orders in each list of the view. */
const MAX_OPEN = 1000;
const MAX_PROVEN_ABSENT = 100;
const MAX_FOREIGN = 100;
/** Stands for the strategy where a position belongs to no strategy. */
const ACCOUNT = 'account';
const DAY_MS = 86_400_000;
/** Number of bars that may be missed before a feed counts as stale. */
const MAX_MISSED_BARS = 3;

/** Returns the names of instruments and strategies. */
export const namedOf = ({ instruments, runs }: Engine): ScopeNames => ({ instruments, strategies: runs.map(({ name }) => name) });

/** Returns the view of a bot at its current time. */
export function viewOf({ bot, counts, startedMs, kill, isFlat, loopDelayP99Ms }: BotViewDeps): BotView {
  const { engine, config, plan, exchange, journal, log, clientOrderIdOf, venueMs } = bot.deps;
  const named = { engine, clientOrderIdOf };
  const timeMs = venueMs();
  const activeOrders = isFlat ? [] : engine.orders.active();
  const drafts = isFlat ? [] : engine.orders.drafts.orders;
  return {
    format: 1,
    name: plan.name,
    version: packageVersion(),
    pid: process.pid,
    account: `${config.mode}:${config.fingerprint}`,
    mode: config.mode,
    timeScale: config.timeScale,
    startedMs,
    timeMs,
    scopes: scopeViews(engine.risk.halts, namedOf(engine)),
    strategies: strategiesOf(bot, counts),
    positions: [...(isFlat ? [] : positionsOf(engine)), ...accountPositions(bot)],
    open: openViews([...activeOrders, ...drafts], named),
    unknown: activeOrders.filter(({ lifecycle }) => lifecycle === 'unknown').map((order) => unknownView(order, named)),
    provenAbsent: [...engine.orders.provenAbsent.values()].slice(-MAX_PROVEN_ABSENT).map((order) => orderView(order, named)),
    foreignOrders: foreignViews(bot, timeMs),
    fills: bot.fills,
    equity: [equityOf(engine, bot.equity)],
    headroom: headroomOf(bot),
    feeds: engine.feeds.filter(({ isExecutionOnly }) => !isExecutionOnly).map((feed) => feedOf(feed, timeMs, bot.plots)),
    series: seriesViews(config.series, plan.series, timeMs),
    clocks: clockViews(bot),
    budget: budgetViews(exchange),
    audit: { ...bot.auditState, maxAgeMs: Number(engine.risk.limits.maxAuditAgeMs) },
    journal: { lastSeq: journal.lastSeq, durableSeq: journal.durableSeq, failure: journal.failure },
    loopDelayP99Ms,
    rssBytes: process.memoryUsage.rss(),
    decisions: log.decisions,
    alarmMs: Number.isFinite(bot.operatorPresence.alarmMs) ? bot.operatorPresence.alarmMs : null,
    kill,
    counts: countsView(bot, counts),
  };
}

/** Returns the orders whose state at the venue is known, at most MAX_OPEN of them. */
function openViews(orders: readonly BotOrder[], named: Parameters<typeof orderView>[1]): BotView['open'] {
  return orders
    .filter(({ lifecycle }) => lifecycle !== 'unknown')
    .slice(0, MAX_OPEN)
    .map((order) => orderView(order, named));
}

/** Returns the used part of each rate limit. */
function budgetViews({ limiter }: Exchange): BotView['budget'] {
  return limiter.state.classes.map(({ rateClass: name, used, allowance: max, windowMs, stoppedUntilMs }) => {
    return { name, used, max, windowMs, stoppedUntilMs };
  });
}

/** Returns the clock of each market: how far it is ahead, and how certain that is. Null before the first measurement. */
function clockViews({ deps: { config, exchange } }: LiveBot): BotView['clocks'] {
  return config.markets.map((market) => {
    const { ms, uncertaintyMs } = exchange.serverTime(market);
    const isMeasured = Number.isFinite(uncertaintyMs);
    return {
      market,
      offsetMs: isMeasured ? ms - exchange.scheduler.nowMs : null,
      uncertaintyMs: isMeasured ? Math.round(uncertaintyMs) : null,
      maxUncertaintyMs: config.orders.maxUncertaintyMs,
    };
  });
}

/** Returns how many orders, fills and requests the bot has had since its start. */
function countsView(bot: LiveBot, { sent, denied, refused, unknowns }: OrderCounts): BotView['counts'] {
  return {
    ordersSent: sent,
    ordersDenied: denied,
    ordersRefused: refused,
    fills: bot.fillCount,
    unknowns,
    requests: bot.requests.sent,
    rateRefusals: bot.requests.refused,
    reconnects: 0,
  };
}

/** Returns the strategies with their equity and counts. */
function strategiesOf({ deps: { engine, plan }, equity, fillsBy }: LiveBot, { byStrategy }: OrderCounts): readonly StrategyView[] {
  const { cashAsset, cashDigits } = engine.ledger;
  const money = (units: number): string => amountText(units, cashDigits);
  const now = equity.units();
  const today = equity.changeToday().units;
  return engine.runs.map(({ name, index }): StrategyView => ({
    name,
    file: plan.strategies[index]!.record.file,
    asset: cashAsset,
    startEquity: money(equity.startUnits[index]!),
    equity: money(now[index]!),
    today: money(today[index]!),
    orders: byStrategy[index] ?? 0,
    fills: fillsBy[index] ?? 0,
  }));
}

/** Returns the positions of all strategies, valued at the last price. */
function positionsOf(engine: Engine): readonly PositionView[] {
  const { ledger, instruments } = engine;
  return engine.runs.flatMap(({ name, index: strategy }) =>
    instruments.flatMap((_, index) => heldSides(ledger, strategy, index).map((side) => positionView(engine, name, index, side))),
  );
}

/** What is held on one side: a quantity in lots, below 0 short, and the entry price. */
interface HeldSide {
  readonly qty: number;
  readonly entry: number;
}

/** Returns one position of a strategy. Price and profit are null before the first bar. */
function positionView(engine: Engine, strategy: string, index: number, { qty, entry }: HeldSide): PositionView {
  const { ledger } = engine;
  const instrument = engine.instruments[index]!;
  const ticks = engine.lastTicks(index);
  const isMarked = Number.isFinite(entry) && Number.isFinite(ticks);
  const size = new Decimal(fromScaled(Math.abs(qty), ledger.qtyDigits(index)));
  const last = isMarked ? new Decimal(fromScaled(ticks, instrument.priceDigits)) : null;
  const profit = last === null ? null : positionProfit(instrument, size, new Decimal(entry), last, qty > 0);
  return {
    strategy,
    instrument: instrument.id,
    side: qty > 0 ? 'long' : 'short',
    qty: fromScaled(Math.abs(qty), ledger.qtyDigits(index)),
    base: instrument.contract === undefined ? instrument.base : 'contracts',
    entryPrice: Number.isFinite(entry) ? entry.toFixed(instrument.priceDigits) : null,
    lastPrice: Number.isFinite(ticks) ? fromScaled(ticks, instrument.priceDigits) : null,
    profit: profit === null ? null : positionMoneyText(profit, instrument),
    quote: instrument.quote,
  };
}

/** Returns what a strategy holds of an instrument, below 0 short, with the entry price. In two-way mode long and short are separate entries. */
function heldSides(ledger: Ledger, strategyIndex: number, index: number): readonly HeldSide[] {
  const { contract, priceDigits } = ledger.instruments[index]!;
  const contracts = contract === undefined ? null : futuresLedgerOf(ledger);
  if (contracts === null) {
    const qty = ledger.qty(strategyIndex, index);
    return qty === 0 ? [] : [{ qty, entry: ledger.entryPrice(strategyIndex, index) }];
  }
  if (contracts.ownerOf(index) !== strategyIndex) return [];
  const sides = [true, false].map((isLong) => {
    const { lots, entryTicks } = contracts.side(index, isLong);
    return { qty: isLong ? lots : -lots, entry: entryTicks / pow10(priceDigits) };
  });
  return sides.filter(({ qty }) => qty !== 0);
}

/**
 * Returns positions of the account that belong to no strategy: unattributed fills. In two-way mode by side: a quantity below 0 says that
 * others have closed what strategies hold.
 */
function accountPositions({ deps: { engine, services } }: LiveBot): readonly PositionView[] {
  const externalPositions = services.all().flatMap((service) => service.externalPositions);
  return externalPositions.flatMap(({ symbol, qty, isLong: isLongSide }): PositionView[] => {
    const index = engine.instruments.findIndex(({ id }) => id === symbol);
    if (index < 0 || Number(qty) === 0) return [];
    const { base, quote, contract, priceDigits } = engine.instruments[index]!;
    const ticks = engine.lastTicks(index);
    const isLong = isLongSide ?? !qty.startsWith('-');
    return [
      {
        strategy: ACCOUNT,
        instrument: symbol,
        side: isLong ? 'long' : 'short',
        qty: new Decimal(qty).times(isLong ? 1 : -1).toFixed(),
        base: contract === undefined ? base : 'contracts',
        entryPrice: null,
        lastPrice: Number.isFinite(ticks) ? fromScaled(ticks, priceDigits) : null,
        profit: null,
        quote,
      },
    ];
  });
}

/** Returns foreign orders without a decision, and holdings and fills that no order of the bot explains. */
function foreignViews({ deps: { engine, services } }: LiveBot, timeMs: number): BotView['foreignOrders'] {
  const nameOf = (instrument: number | null): string => (instrument === null ? 'account' : engine.instruments[instrument]!.id);
  const orders = foreignOrdersOf(services).map(({ venueId, instrument, why }) => ({
    kind: 'order' as const,
    id: venueId,
    instrument: nameOf(instrument),
    message: why,
    seenMs: timeMs,
  }));
  const holdings = services
    .all()
    .flatMap(({ raisedCauses }) => raisedCauses)
    .filter(({ code }) => code === 'MISMATCH' || code === 'STRAY')
    .map(({ instrument, what }) => ({
      kind: 'holding' as const,
      id: nameOf(instrument),
      instrument: nameOf(instrument),
      message: what,
      seenMs: timeMs,
    }));
  return [...orders, ...holdings].slice(0, MAX_FOREIGN);
}

/** Returns the equity of the account and its points. */
function equityOf({ ledger: { cashAsset, cashDigits } }: Engine, book: EquityBook): BotView['equity'][number] {
  return {
    asset: cashAsset,
    now: amountText(book.currentTotal(), cashDigits),
    today: amountText(book.changeToday().total, cashDigits),
    points: book.points.map(([timeMs, units]) => [timeMs, amountText(units, cashDigits)] as const),
  };
}

/** Returns the newest bars of a feed, and their age. */
function feedOf(feed: FeedRun, timeMs: number, plots: PlotBook): FeedView {
  const { bars, instrument } = feed;
  const firstRow = Math.max(0, bars.length - MAX_PLOT_BARS);
  const closedMs = bars.length === 0 ? null : bars.closeMs[bars.length - 1]!;
  return {
    instrument: instrument.id,
    interval: bars.interval,
    lastPrice: bars.length === 0 ? null : bars.close[bars.length - 1]!.toFixed(instrument.priceDigits),
    closedMs,
    ageMs: closedMs === null ? null : Math.max(0, timeMs - closedMs),
    // The next bar from trades may take until the end of the day.
    maxAgeMs: isTradeBars(bars.interval) ? DAY_MS : MAX_MISSED_BARS * typicalLengthMs(bars.interval),
    bars: Array.from({ length: bars.length - firstRow }, (_, index) => {
      const row = firstRow + index;
      return [bars.openMs[row]!, bars.open[row]!, bars.high[row]!, bars.low[row]!, bars.close[row]!] as const;
    }),
    plots: plots.plotsOf(feed).map((plot) => {
      const { name, pane } = plot.drawn;
      return { strategy: plot.strategy, name, pane, values: plot.newest(bars.length - firstRow) };
    }),
  };
}

/** Returns the use of each active limit by positions and open orders, as risk counts them before the next order. */
function headroomOf({ deps: { engine }, equity }: LiveBot): readonly HeadroomView[] {
  // The current limits: the operator may have tightened one.
  const { limits } = engine.risk;
  const { cashDigits, cashAsset } = engine.ledger;
  const activeOrders = engine.orders.active();
  const rows: HeadroomView[] = [];
  const add = (limit: keyof typeof limits, code: string, used: string, unit: string, scope = 'account'): void => {
    if (limits[limit] !== undefined) rows.push({ code, limit, scope, used, max: String(limits[limit]), unit });
  };
  // Uses the rule's own baseline, which outlives the process and starts again when the operator clears the halt.
  const lossText = (code: string): string => {
    const baseline = engine.risk.lossBaseline(code);
    return baseline > 0 ? Math.max(0, (baseline - equity.currentTotal()) / baseline).toFixed(4) : '0';
  };
  add('maxDailyLoss', 'DAILY_LOSS', lossText('DAILY_LOSS'), 'of the equity at 00:00 UTC');
  add('maxDrawdown', 'DRAWDOWN', lossText('DRAWDOWN'), 'of the highest equity');
  add('maxOpenOrdersTotal', 'OPEN_ORDERS', String(activeOrders.length), 'orders');
  const exposure = engine.risk.headroom();
  const [firstInstrument] = engine.instruments;
  // While a mark is missing, the use is unknown and the limit is left out.
  const addMoney = (limit: keyof typeof limits, code: string, units: number, instrument: Instrument, scope?: string): void => {
    if (!Number.isSafeInteger(units)) return;
    const usedText = positionMoneyText(new Decimal(fromScaled(units, cashDigits)), instrument);
    add(limit, code, usedText, cashAsset, scope);
  };
  engine.instruments.forEach((instrument, index) => {
    const scope = scopeName({ kind: 'symbol', instrument: index }, namedOf(engine));
    const ownOrders = activeOrders.filter((order) => order.instrumentIndex === index);
    add('maxOpenOrders', 'OPEN_ORDERS', String(ownOrders.length), 'orders', scope);
    addMoney('maxPositionNotional', 'POSITION_NOTIONAL', exposure.notional[index]!, instrument, scope);
  });
  addMoney('maxGrossNotional', 'PORTFOLIO', exposure.gross, firstInstrument!);
  const leverage = exposure.gross / Math.max(1, exposure.equity);
  if (Number.isFinite(leverage)) add('maxLeverage', 'LEVERAGE', leverage.toFixed(3), 'x equity');
  return rows;
}

/** Returns units as a decimal; 0 if they are unknown. */
const amountText = (units: number, digits: number): string => (Number.isSafeInteger(units) ? fromScaled(units, digits) : '0');
