// Writes the figures that each rule compares, as texts for an explained order: the order's figure and the limit.

import { ConvertedLedger } from '../portfolio/convertedLedger.ts';
import { pow10 } from '../base/number/exact.ts';
import { formatMinute } from '../model/time.ts';
import { orderNotional } from './exposure/convertedRules.ts';
import { closesAtOnce, isReduction } from './rules/openOrderRules.ts';
import { baseText, lotsText, limitMoneyText, limitPriceText, quoteText, ratioText } from './limits/limitTexts.ts';
import type { Draft, RiskState } from './rules/rule.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** The order's figure and the limit, as texts with units. */
export type DenialFigures = readonly [asked: string, limit: string];
/** Returns the figures of one rule. */
type FigureWriter = (order: Draft, state: RiskState) => DenialFigures;

/** The figures of exposure rules for an order that adds to no position. */
const NO_ADDED_EXPOSURE: DenialFigures = ['adds to no position', 'any'];

/** By code of the rule. */
const FIGURE_WRITERS: Readonly<Record<string, FigureWriter>> = {
  TIME_IN_FORCE: ({ timeInForce }) => [timeInForce ?? 'none', 'none on spot'],
  INSTRUMENT: ({ instrument }) => [instrument.id, 'instruments of the run'],
  NOT_TRADING: ({ instrument: { contract }, reduceOnly }) => [
    reduceOnly ? 'only closes' : 'may open',
    contract?.isTrading === false ? 'closes only' : 'any',
  ],
  PRECISION: ({ quoteUnits, lots, instrument, instrumentIndex }, { mark, reservations }) =>
    quoteUnits > 0
      ? [
          quoteText(quoteUnits, instrument),
          `at least ${quoteText(reservations.scale(instrumentIndex).notionalUp(mark, instrument.minLots), instrument)}`,
        ]
      : [lotsText(lots, instrument), `at least ${lotsText(instrument.minLots, instrument)}`],
  REDUCE_ONLY: ({ reduceOnly, side }) => [reduceOnly ? `a reduce-only ${side}` : `a ${side}`, 'only sells reduce'],
  QTY_MAX: ({ worstLots, instrument, instrumentIndex }, { limits }) => [
    lotsText(worstLots, instrument),
    maxText(lotsText(limits.orderLots[instrumentIndex]!, instrument)),
  ],
  NOTIONAL_MAX: (order, state) => [
    limitMoneyText(orderNotional(order, state), state.ledger),
    maxText(limitMoneyText(state.limits.orderUnits[order.instrumentIndex]!, state.ledger)),
  ],
  COLLAR: ({ limit, instrument }, { limits: { priceBand }, mark }) => [
    limit === 0 ? 'no limit price' : limitPriceText(limit, instrument),
    priceBand === null ? 'any' : `within ${ratioText(priceBand)} of ${limitPriceText(mark, instrument)}`,
  ],
  RESTRICTED: (_, { nowMs, limits: { windows } }) => [formatMinute(nowMs), `not in ${windows.map(({ text }) => text).join(', ')}`],
  DUPLICATE: (order, { sent, nowMs, limits }) => [
    order.parent === 0 && sent.hasRecentDuplicate(order, nowMs) ? 'the same again' : 'a new one',
    `not the same within ${limits.duplicateMs} ms`,
  ],
  PARENT: ({ parent, worstLots, instrument }, { sent }) =>
    parent === 0
      ? ['no leg of a bracket', 'any']
      : [lotsText(worstLots, instrument), `with its siblings ${maxText(lotsText(sent.lotsOf(parent), instrument))}`],
  SELF_TRADE: ({ side }) => [`a ${side}`, 'meets no own order'],
  OPEN_ORDERS: ({ instrumentIndex }, { limits, reservations }) => [
    `${reservations.openOrders(instrumentIndex)} open of the symbol, ${reservations.openOrdersTotal} in all`,
    `fewer than ${countText(limits.openOrders)} and ${countText(limits.openOrdersTotal)}`,
  ],
  CONTRACT_TAKEN: ({ strategy, instrument: { id } }) => [`strategy ${strategy + 1}`, `the one strategy of ${id}`],
  POSITION_MAX: (order, { exposure, limits }) => [
    exposure.positionText(exposure.position(order), order),
    maxText(exposure.positionText(limits.positionBase[order.instrumentIndex]!, order)),
  ],
  POSITION_NOTIONAL: (order, state) => [
    limitMoneyText(state.exposure.notional(order.instrumentIndex, order, state), state.ledger),
    maxText(limitMoneyText(state.limits.positionUnits[order.instrumentIndex]!, state.ledger)),
  ],
  PORTFOLIO: (order, state) => {
    const { grossUnits, netUnits } = state.limits;
    const netText = netUnits === INFINITY ? '' : `, net ${limitMoneyText(netUnits, state.ledger)}`;
    return [
      limitMoneyText(state.exposure.computeWorstCase(order, state).gross, state.ledger),
      maxText(limitMoneyText(grossUnits, state.ledger) + netText),
    ];
  },
  LEVERAGE: (order, state) => {
    const { gross, equity } = state.exposure.computeWorstCase(order, state);
    return [`${timesText(gross / equity)} (${limitMoneyText(gross, state.ledger)})`, maxText(`${ratioText(state.limits.leverage!)} x`)];
  },
  CONCENTRATION: (order, state) => {
    const notional = state.exposure.notional(order.instrumentIndex, order, state);
    const { equity } = state.exposure.computeWorstCase(order, state);
    return [
      `${timesText(notional / equity)} (${limitMoneyText(notional, state.ledger)})`,
      maxText(`${ratioText(state.limits.concentration!)} x`),
    ];
  },
  TIER: (order, state) => {
    const { contracts } = state.exposure;
    if (contracts === null || order.instrument.contract === undefined) return ['no contract', 'any'];
    const { ledger } = contracts;
    const notional = contracts.notional(order.instrumentIndex, order, state);
    const maxLeverage = ledger.scale(order.instrumentIndex).maxLeverage(notional);
    return [`leverage ${ledger.terms(order.instrumentIndex).leverage}`, maxText(String(maxLeverage))];
  },
  MARGIN: (order, state) => {
    const { sign, strategy, instrument, instrumentIndex, worstCash, worstLots } = order;
    const { exposure, ledger, reservations } = state;
    const { contracts } = exposure;
    if (instrument.contract !== undefined && contracts !== null) {
      if (isReduction(order, state) || order.reduceOnly) return [lotsText(worstLots, instrument), 'a position to close'];
      const freeUnits = contracts.available(order, state) - contracts.reservedCash(strategy);
      return [limitMoneyText(contracts.requiredMargin(order), ledger), maxText(`${limitMoneyText(freeUnits, ledger)} free`)];
    }
    if (sign > 0) {
      const account = ledger instanceof ConvertedLedger ? ledger.of(instrumentIndex) : ledger;
      const freeUnits = account.cash(strategy) - reservations.accountCash(strategy, instrumentIndex);
      return [limitMoneyText(worstCash, account), maxText(`${limitMoneyText(freeUnits, account)} free`)];
    }
    const unitsPerLot = pow10(instrument.baseDigits - instrument.quantityDigits);
    const reservedUnits = reservations.sellLots(strategy, instrumentIndex) * unitsPerLot;
    const freeBaseUnits = ledger.qty(strategy, instrumentIndex) - reservedUnits;
    return [lotsText(worstLots, instrument), maxText(`${baseText(freeBaseUnits, instrument)} free`)];
  },
  MARGIN_BUFFER: (_, { limits }) => ['free margin left', `at least ${ratioText(limits.marginBuffer!)} of equity`],
  LIQUIDATION_DISTANCE: (_, { limits }) => ['distance to liquidation', `at least ${ratioText(limits.liquidationAtrs!)} average ranges`],
  DEPLOY_CAP: ({ instrument }) => [instrument.id, 'one symbol while new'],
  MESSAGE_RATE: ({ strategy }, { limits, sent, nowMs }) => {
    const hour = sent.lastHour(strategy, nowMs);
    const fills = limits.ordersPerFill === INFINITY ? '' : `, ${limits.ordersPerFill} a fill`;
    return [`${hour.sent} orders, ${hour.fills} fills in an hour`, maxText(`${countText(limits.ordersPerMinute)} a minute${fills}`)];
  },
};

/** Rules on exposure. An order that adds to no position passes them. */
const EXPOSURE_CODES: ReadonlySet<string> = new Set([
  'POSITION_MAX',
  'POSITION_NOTIONAL',
  'PORTFOLIO',
  'LEVERAGE',
  'CONCENTRATION',
  'TIER',
  'MARGIN_BUFFER',
  'LIQUIDATION_DISTANCE',
]);
/** Rules on new risk and on the size of one order. An order that only reduces a position passes them. */
const OPENING_CODES: ReadonlySet<string> = new Set(['QTY_MAX', 'NOTIONAL_MAX', 'RESTRICTED', 'DEPLOY_CAP']);
/** Rules on numbers of orders. A reduction at the market passes them. */
const COUNT_CODES: ReadonlySet<string> = new Set(['OPEN_ORDERS', 'DUPLICATE', 'MESSAGE_RATE']);

/** Returns the figures that a rule compares; null for a custom rule, whose figures are not known. */
export function denialFiguresOf(code: string, order: Draft, state: RiskState): DenialFigures | null {
  if (EXPOSURE_CODES.has(code) && state.exposure.addsNothing(order, state)) return NO_ADDED_EXPOSURE;
  if (OPENING_CODES.has(code) && isReduction(order, state)) return ['only reduces', 'any'];
  if (COUNT_CODES.has(code) && closesAtOnce(order, state)) return ['closes at the market', 'any'];
  return FIGURE_WRITERS[code]?.(order, state) ?? null;
}

const maxText = (text: string): string => `at most ${text}`;
const timesText = (times: number): string => `${Number.isFinite(times) ? times.toFixed(3) : 'unknown'} x`;
const countText = (count: number): string => (count === INFINITY ? 'any number' : String(count));
