// Compares the books of the bot with those of the exchange: orders by client order id, fills, money to the last unit, positions.

import { fromScaled, toScaled } from '../../src/base/number/decimal.ts';
import type { LiveBot } from '../../src/tasks/bot/run/liveBot.ts';
import type { OrderId } from '../../src/model/order.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import type { TrueOrder, Truth } from './paperExchange.ts';

/** The result of a comparison. */
export interface Comparison {
  /** Number of orders at the exchange that the bot does not know, believes to have ended wrongly, or whose fills it has not booked. */
  readonly lost: number;
  /** Number of orders beyond the first of each client order id. */
  readonly duplicated: number;
  readonly ledgerEqual: boolean;
  /** The differences, as text. */
  readonly differences: readonly string[];
}

/**
 * Returns the differences between bot and exchange. With `mayDuplicate` a second order of one client order id counts only if it has filled
 * or is still open.
 */
export function compare(bot: LiveBot, truth: Truth, placed: readonly TrueOrder[], mayDuplicate: boolean): Comparison {
  const differences: string[] = [];
  const ordersById = groupByClientOrderId(placed);
  const live = new Set(truth.orders.map(({ id }) => id));
  const botOrders = ordersOfBot(bot);
  let lost = 0;
  let duplicated = 0;
  for (const [clientOrderId, orders] of ordersById) {
    const [firstOrder] = orders;
    const isHarmless = (order: TrueOrder): boolean => mayDuplicate && Number(order.filled) === 0 && !live.has(order.id);
    const extraCount = orders.length - 1;
    const harmlessCount = Math.min(extraCount, orders.filter(isHarmless).length);
    if (extraCount > harmlessCount) {
      duplicated += extraCount - harmlessCount;
      differences.push(`${clientOrderId} is ${orders.length} times at the exchange`);
    }
    const botOrder = botOrders.get(clientOrderId.toUpperCase());
    const filledTexts = orders.map(({ filled }) => filled);
    const filledLots =
      botOrder === undefined ? NaN : filledTexts.reduce((lots, text) => lots + (toScaled(text, botOrder.digits) ?? NaN), 0);
    const isOpen = orders.some(({ id }) => live.has(id));
    if (botOrder !== undefined && filledLots === botOrder.lots && !isOpen) continue;
    lost++;
    const botText = botOrder === undefined ? 'not known' : `${botOrder.lots} lots filled, ${botOrder.ending}`;
    differences.push(
      `${clientOrderId} (${firstOrder!.id}): at the exchange ${orders.map(({ status, filled: text }) => `${status} ${text}`).join(', ')}; in the books ${botText}`,
    );
  }
  for (const [clientOrderId, { lots }] of botOrders)
    if (lots > 0 && !ordersById.has(clientOrderId)) differences.push(`${clientOrderId} is not at the exchange`);
  const money = moneyDifferences(bot, truth);
  return { lost, duplicated, ledgerEqual: money.length === 0, differences: [...differences, ...money] };
}

/** Returns the orders of each client order id. */
function groupByClientOrderId(placed: readonly TrueOrder[]): ReadonlyMap<string, readonly TrueOrder[]> {
  const ordersById = new Map<string, TrueOrder[]>();
  for (const order of placed) {
    const clientOrderId = order.clientOrderId ?? '';
    ordersById.set(clientOrderId, [...(ordersById.get(clientOrderId) ?? []), order]);
  }
  return ordersById;
}

/** An order in the books of the bot. */
interface BotOrderFacts {
  readonly lots: number;
  readonly digits: number;
  readonly ending: number;
}

/** Returns the bot's orders by client order id. */
function ordersOfBot({ deps: { engine, clientOrderIdOf } }: LiveBot): ReadonlyMap<string, BotOrderFacts> {
  const columns = engine.orders.columns();
  return new Map(
    Array.from({ length: columns.length }, (_, row) => {
      const { quantityDigits } = engine.instruments[columns.instrument[row]!]!;
      return [
        clientOrderIdOf(columns.id[row]! as OrderId),
        { lots: columns.filledLots[row]!, digits: quantityDigits, ending: columns.ending[row]! },
      ];
    }),
  );
}

/** Returns the differences of money and positions, as text. */
function moneyDifferences({ deps: { engine } }: LiveBot, { accounts, positions }: Truth): readonly string[] {
  const { ledger, instruments } = engine;
  const [account] = accounts;
  const differences: string[] = [];
  const expectEqual = (name: string, inBooks: string, atExchange: string): void => {
    if (normalizeAmount(inBooks) !== normalizeAmount(atExchange))
      differences.push(`${name}: ${atExchange} at the exchange, ${inBooks} in the books`);
  };
  if (ledger instanceof SpotLedger) {
    const balanceByAsset = new Map(account!.balances.map(({ asset, free, locked }) => [asset, sumOf(free, locked)]));
    expectEqual(ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits), balanceByAsset.get(ledger.cashAsset) ?? '0');
    instruments.forEach(({ base, baseDigits }, index) =>
      expectEqual(base, fromScaled(ledger.baseTotal(index), baseDigits), balanceByAsset.get(base) ?? '0'),
    );
  } else if (ledger instanceof FuturesLedger) {
    const wallet = account!.futures.find(({ asset }) => asset === ledger.cashAsset);
    const { free = '0', locked = '0', margin = '0' } = wallet ?? {};
    expectEqual(ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits), sumOf(free, locked, margin));
    instruments.forEach(({ wireName, quantityDigits }, index) => {
      for (const [side, isLong] of [
        ['BUY', true],
        ['SELL', false],
      ] as const) {
        const truePosition = positions.find((position) => position.symbol === wireName && position.side === side);
        expectEqual(`${wireName} ${side}`, fromScaled(ledger.side(index, isLong).lots, quantityDigits), truePosition?.volume ?? '0');
      }
    });
  } else throw new TypeError('expected a ledger of spot or of futures');
  return differences;
}

/** Decimals of all amounts that are compared here. */
const DECIMALS = 8;

/** Returns a decimal as whole units of 10^-DECIMALS. */
const unitsOf = (text: string): bigint => {
  const [integerPart = '0', fraction = ''] = text.split('.');
  const units = BigInt(integerPart.replace('-', '')) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -units : units;
};
const normalizeAmount = (text: string): string => String(unitsOf(text));
/** Returns the exact sum of decimals. */
const sumOf = (...texts: readonly string[]): string => {
  const sum = texts.reduce((total, text) => total + unitsOf(text), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
};
