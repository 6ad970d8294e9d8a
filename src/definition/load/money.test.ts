// Tests balances of a run over both markets: their market, their default split, and errors with their place.

import { describe, expect, it } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { feedPlan } from '../../../test/fixtures/runPlan.ts';
import { barsOfRows, spotInstrument } from '../../../test/engine/backtestFixture.ts';
import { ConfigError } from '../../base/errors.ts';
import { settledFeesOf, startingBalances } from './money.ts';
import { parseDefinition } from '../text/parse.ts';
import { textWithDefaults, strategyEntries } from './withDefaults.ts';
import { yamlSource } from '../text/source.ts';

const coin = barsOfRows([[100, 100, 100, 100]], spotInstrument());
const contract = barsOfRows([[100, 100, 100, 100]], linearContract({ marginDigits: 8 }, { quoteDigits: 8 }));
const FEEDS = { spot: feedPlan('spot', coin), perp: feedPlan('perp', contract) };

/** Returns a definition with a spot feed and a futures feed. */
const sourceOf = (cash: string, perp = 'futures') =>
  yamlSource(
    'x.yaml',
    '.',
    `strategy: s.ts\nfeeds: { spot: { market: spot, symbol: A, interval: 1m }, perp: { market: ${perp}, symbol: A, interval: 1m } }\ncash: ${cash}\n`,
  );
/** Returns the starting balances of a definition with this `cash`. */
function fundsOf(cash: string, feeds: readonly (keyof typeof FEEDS)[] = ['spot', 'perp']) {
  const source = sourceOf(cash);
  return startingBalances(
    parseDefinition(source),
    source,
    feeds.map((name) => FEEDS[name]),
  );
}
/** Returns the message of a ConfigError. */
function errorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

describe('balances of both markets', () => {
  it.each([
    ["'1000'", { spot: { USDT: '500' }, futures: { USDT: '500' } }],
    ["{ USDT: '0.00000003' }", { spot: { USDT: '0.00000002' }, futures: { USDT: '0.00000001' } }],
    ["{ USDT: '10', BTC: '0.5' }", { spot: { USDT: '5', BTC: '0.5' }, futures: { USDT: '5' } }],
    ["{ spot: { USDT: '7', BTC: '1' }, futures: { USDT: '3' } }", { spot: { USDT: '7', BTC: '1' }, futures: { USDT: '3' } }],
  ])('balances of both markets: %s is halved, unless it names the markets', (cash, funds) => {
    expect(fundsOf(cash).funds).toEqual(funds);
  });

  it('balances of both markets are summed up by asset', () => {
    expect(fundsOf("{ spot: { USDT: '7.5', BTC: '1' }, futures: { USDT: '3' } }").cash).toEqual({ USDT: '10.5', BTC: '1' });
    expect(fundsOf("'1000'", ['spot'])).toEqual({ cash: { USDT: '1000' }, funds: null, convert: null });
  });

  it.each([
    [
      "{ spot: { USDT: '7' }, futures: { BTC: '3' } }",
      "x.yaml:3 cash.futures: expected some USDT, in which equity is counted, got BTC: '3'",
    ],
    ["{ spot: { USDT: '7' }, futures: { USDT: '3', BTC: '1' } }", 'x.yaml:3 cash.futures.BTC: no feed of the run trades BTC'],
    ["{ spot: { USDT: '7', ETH: '1' }, futures: { USDT: '3' } }", 'x.yaml:3 cash.spot.ETH: no feed of the run trades ETH'],
  ])('balances of both markets are rejected with their place: %s', (cash, message) => {
    expect(errorOf(() => fundsOf(cash))).toContain(message);
  });

  it('amounts too large to be exact are distinguished from those with too many digits', () => {
    const digits = coin.instrument.quoteDigits;
    const max = Math.floor(Number.MAX_SAFE_INTEGER / 10 ** digits);
    expect(errorOf(() => fundsOf(`'${max + 1}'`, ['spot']))).toBe(
      `x.yaml:3 cash.USDT: expected at most ${max}, because amounts are exact to ${digits} decimals, got '${max + 1}'`,
    );
    const tooManyDigits = `1.${'0'.repeat(digits)}1`;
    expect(errorOf(() => fundsOf(`'${tooManyDigits}'`, ['spot']))).toBe(
      `x.yaml:3 cash.USDT: expected at most ${digits} decimals, got '${tooManyDigits}'`,
    );
  });

  it('balances of both markets are rejected if all feeds are of one market', () => {
    const message = 'x.yaml:3 cash: expected balances by asset, got balances by market, and all feeds are of spot';
    expect(errorOf(() => fundsOf("{ spot: { USDT: '7' }, futures: { USDT: '3' } }", ['spot']))).toBe(message);
    expect(errorOf(() => parseDefinition(sourceOf("{ spot: { USDT: '7' } }")))).toContain(
      'x.yaml:3 cash.futures: expected balances by asset, got nothing',
    );
    expect(errorOf(() => parseDefinition(sourceOf("{ spott: { USDT: '7' }, futures: { USDT: '1' } }")))).toBe(
      'x.yaml:3 cash.spott: unknown key spott, the nearest valid one is spot\nx.yaml:3 cash.spot: expected balances by asset, got nothing',
    );
    expect(errorOf(() => parseDefinition(sourceOf("{ spott: { USDT: '7' }, futrues: { USDT: '1' } }")))).toContain(
      'cash.futrues: unknown key futrues, the nearest valid one is futures',
    );
    expect(errorOf(() => parseDefinition(sourceOf("{ USDT: '7', futures: { USDT: '1' } }")))).toBe(
      'x.yaml:3 cash.futures: expected a quoted decimal (amount of the asset), got a map',
    );
    expect(errorOf(() => parseDefinition(sourceOf("{ spot: { USDT: 7 }, futures: { USDT: '1' } }")))).toContain(
      'x.yaml:3 cash.spot.USDT: expected a quoted decimal',
    );
  });
});

it('fees of both markets are those of their records if the definition has none', () => {
  const source = sourceOf("'10'");
  const definition = parseDefinition(source);
  const { plan, rates } = settledFeesOf(definition, source, [FEEDS.spot, FEEDS.perp]);
  expect(plan).toMatchObject({ makerPpm: coin.instrument.makerFeePpm, takerPpm: coin.instrument.takerFeePpm, in: 'received' });
  // Written into the definition, they would also become the fees of the contracts.
  expect(rates).toEqual({});
  const text = textWithDefaults(definition, strategyEntries(definition, source), { from: '2024-01-01', to: '2024-01-02', rates });
  expect(text).toContain('fees: { in: received, rounding: halfUp }');
  expect(text).toContain('leverage: 1');
});
