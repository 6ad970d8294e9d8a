// Connects the exchange adapter of one market to the parts of the bot.

import { POSITION_MODEL, positionTypeOf } from '../../protocol/contractModes.ts';
import { RestExchange } from '../../adapters/exchange/restExchange.ts';
import type { Exchange } from '../../access/openExchange.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Market } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { MeasuredAbsenceBounds } from '../../orders/prove/absenceBounds.ts';
import { futuresLedgerOf } from '../../portfolio/pairedLedger.ts';
import type { MarketRouter } from './account/marketRouter.ts';
import { readsInTurn } from './account/readsInTurn.ts';
import type { LiveConfig } from './config/liveConfig.ts';
import type { BotJournal } from './journal/botJournal.ts';

/** The bot's side of the exchange adapter. */
export interface AdapterParts {
  readonly services: MarketRouter;
  readonly engine: Engine;
  readonly journal: BotJournal;
  readonly absenceBounds: MeasuredAbsenceBounds;
}

/** Returns the exchange adapter of one market, over the journal and the ledger of the bot. */
export function restExchange(
  config: LiveConfig,
  { futures }: RunPlan,
  exchange: Exchange,
  { engine, journal, absenceBounds: delayObserver, services }: AdapterParts,
  market: Market,
): RestExchange {
  // The symbol of a cursor is the id of an instrument, which names the market, or an asset. Both markets may have the same asset.
  const cursorKey = (symbol: string): string => (symbol.includes(':') ? symbol : `${market}/${symbol}`);
  const heldLots = (index: number, isClosedByBuy: boolean): number =>
    engine.runs.reduce((sum, run) => sum + engine.ledger.closable(run.index, index, isClosedByBuy, true), 0);
  const contractSettings = futures && market === 'futures' ? { contractSettingsTarget: () => contractSettingsOf(futures) } : {};
  return new RestExchange({
    client: readsInTurn(exchange.client, exchange.limiter, engine.instruments.length),
    scheduler: exchange.scheduler,
    serverTime: () => exchange.serverTime(market),
    market,
    instruments: engine.instruments,
    journal: journal.journal,
    notes: {
      cursor: (body) => journal.journal.cursor({ ...body, symbol: cursorKey(body.symbol) }),
      setting: (body) => journal.journal.setting(body),
      unattributedFill: (fill) => journal.journal.unattributedFill(fill),
    },
    heldLots: (index, side) => heldLots(index, side === 'buy'),
    bookableLots: (id) => bookableLotsOf(engine, id),
    holdsSide: (index, isLong) => (futuresLedgerOf(engine.ledger)?.side(index, isLong).lots ?? 0) > 0,
    clientOrderIdOf: journal.clientOrderIdOf,
    orderOf: (id) => engine.orders.get(id),
    positionsFrom: exchange.dialect.positionsFrom,
    onUnreportedFunding: (index) => {
      const owner = engine.runs[futuresLedgerOf(engine.ledger)!.ownerOf(index)]!;
      const { wireName } = engine.instruments[index]!;
      engine.log(owner.name, `the exchange does not report the funding of ${wireName}: cash and equity of the bot lack it`, {});
    },
    delayObserver,
    isRaisedElsewhere: (code, instrument) => services.isRaisedElsewhere(market, code, instrument),
    // Do not divide by the time scale: the scheduler itself runs faster with a paper exchange.
    settings: config.orders,
    ...contractSettings,
  });
}

/**
 * Returns how many lots of a fill of an order the books of its strategy can take. A sale of coins, or an order that only closes, takes at most
 * what the strategy holds. A contract takes fills of one strategy. Two orders may close the same lots where one has come late, or where a stop
 * and the one that replaces it have both fired.
 */
export function bookableLotsOf({ orders, ledger }: Pick<Engine, 'orders' | 'ledger'>, id: OrderId): number {
  const order = orders.get(id);
  if (order === undefined) return Infinity;
  const { strategy, instrumentIndex, instrument, side, reduceOnly } = order;
  const isBuy = side === 'buy';
  if (instrument.contract === undefined) return isBuy ? Infinity : ledger.closable(strategy, instrumentIndex, isBuy, true);
  const owner = futuresLedgerOf(ledger)!.ownerOf(instrumentIndex);
  if (owner >= 0 && owner !== strategy) return 0;
  return reduceOnly ? ledger.closable(strategy, instrumentIndex, isBuy, true) : Infinity;
}

/** Returns the leverage and the modes that the config requires, as codes of the wire. */
function contractSettingsOf({ isCross, leverage, isNet }: NonNullable<RunPlan['futures']>) {
  return {
    positionType: positionTypeOf(isCross),
    leverage,
    positionModel: isNet ? POSITION_MODEL.net : POSITION_MODEL.twoWay,
  };
}
