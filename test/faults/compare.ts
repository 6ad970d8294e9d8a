// Compares what the bot believes with what the exchange knows: orders by client order id, fills, money to the last unit, positions.

import { fromScaled, toScaled } from '../../src/base/number/decimal.ts';
import type { LiveBot } from '../../src/tasks/bot/run/liveBot.ts';
import type { OrderId } from '../../src/model/order.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import type { TrueOrder, Truth } from './paperExchange.ts';

export interface Comparison {
  /** Orders of the exchange that the bot does not know, holds to be over while they are not, or whose fills it has not booked. */
  readonly lost: number;
  /** Orders beyond the first of one client order id. */
  readonly duplicated: number;
  readonly ledgerEqual: boolean;
  /** The differences, as text. */
  readonly differences: readonly string[];
}

/** `doubles`: a second order of a client order id counts only if it was left to fill, or is still open. */
export function compare(bot: LiveBot, truth: Truth, placed: readonly TrueOrder[], doubles: boolean): Comparison {
  const differences: string[] = [];
  const ordersByCid = byCid(placed);
  const live = new Set(truth.orders.map(({ id }) => id));
  const own = ownOrders(bot);
  let [lost, duplicated] = [0, 0];
  for (const [cid, orders] of ordersByCid) {
    const [first] = orders;
    const isHarmless = (each: TrueOrder): boolean => doubles && Number(each.filled) === 0 && !live.has(each.id);
    const extras = orders.length - 1;
    const harmless = Math.min(extras, orders.filter(isHarmless).length);
    if (extras > harmless) {
      duplicated += extras - harmless;
      differences.push(`${cid} is there ${orders.length} times`);
    }
    const filled = own.get(cid.toUpperCase());
    const trueLots = orders.map(({ filled: text }) => text);
    const sum = filled === undefined ? NaN : trueLots.reduce((lots, text) => lots + (toScaled(text, filled.digits) ?? NaN), 0);
    const stands = orders.some(({ id }) => live.has(id));
    if (filled !== undefined && sum === filled.lots && !stands) continue;
    lost++;
    const belief = filled === undefined ? 'not known' : `${filled.lots} lots filled, ${filled.ending}`;
    differences.push(
      `${cid} (${first!.id}): at the exchange ${orders.map(({ status, filled: text }) => `${status} ${text}`).join(', ')}; here ${belief}`,
    );
  }
  for (const [cid, { lots }] of own) if (lots > 0 && !ordersByCid.has(cid)) differences.push(`${cid} is not at the exchange`);
  const money = moneyDifferences(bot, truth);
  return { lost, duplicated, ledgerEqual: money.length === 0, differences: [...differences, ...money] };
}

function byCid(placed: readonly TrueOrder[]): ReadonlyMap<string, readonly TrueOrder[]> {
  const found = new Map<string, TrueOrder[]>();
  for (const order of placed) {
    const cid = order.clientOrderId ?? '';
    found.set(cid, [...(found.get(cid) ?? []), order]);
  }
  return found;
}

interface OwnOrder {
  readonly lots: number;
  readonly digits: number;
  readonly ending: number;
}

function ownOrders({ deps: { engine, cidOf } }: LiveBot): ReadonlyMap<string, OwnOrder> {
  const columns = engine.orders.columns();
  return new Map(
    Array.from({ length: columns.length }, (_, at) => {
      const { quantityDigits } = engine.instruments[columns.instrument[at]!]!;
      return [cidOf(columns.id[at]! as OrderId), { lots: columns.filledLots[at]!, digits: quantityDigits, ending: columns.ending[at]! }];
    }),
  );
}

function moneyDifferences({ deps: { engine } }: LiveBot, { accounts, positions }: Truth): readonly string[] {
  const { ledger, instruments } = engine;
  const [account] = accounts;
  const differences: string[] = [];
  const same = (what: string, believed: string, isTrue: string): void => {
    if (plain(believed) !== plain(isTrue)) differences.push(`${what}: ${isTrue} at the exchange, ${believed} in the books`);
  };
  if (ledger instanceof SpotLedger) {
    const held = new Map(account!.balances.map(({ asset, free, locked }) => [asset, sumOf(free, locked)]));
    same(ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits), held.get(ledger.cashAsset) ?? '0');
    instruments.forEach(({ base, baseDigits }, index) =>
      same(base, fromScaled(ledger.baseTotal(index), baseDigits), held.get(base) ?? '0'),
    );
  } else if (ledger instanceof FuturesLedger) {
    const wallet = account!.futures.find(({ asset }) => asset === ledger.cashAsset);
    const { free = '0', locked = '0', margin = '0' } = wallet ?? {};
    same(ledger.cashAsset, fromScaled(ledger.cashTotal, ledger.cashDigits), sumOf(free, locked, margin));
    instruments.forEach(({ wireName, quantityDigits }, index) => {
      for (const [side, isLong] of [
        ['BUY', true],
        ['SELL', false],
      ] as const) {
        const found = positions.find((each) => each.symbol === wireName && each.side === side);
        same(`${wireName} ${side}`, fromScaled(ledger.side(index, isLong).lots, quantityDigits), found?.volume ?? '0');
      }
    });
  } else throw new TypeError('a run is of spot or of futures');
  return differences;
}

const DIGITS = 8;
const unitsOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  const units = BigInt(whole.replace('-', '')) * 10n ** BigInt(DIGITS) + BigInt(fraction.padEnd(DIGITS, '0'));
  return text.startsWith('-') ? -units : units;
};
const plain = (text: string): string => String(unitsOf(text));
const sumOf = (...texts: readonly string[]): string => {
  const sum = texts.reduce((total, text) => total + unitsOf(text), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(DIGITS + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
};
