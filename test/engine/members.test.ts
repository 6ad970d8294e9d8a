// Tests that a misspelt member of an object of the strategy API is an error, which names the member, the nearest valid name and the line.

import { describe, expect, it } from 'vitest';
import { StrategyError } from '../../src/base/errors.ts';
import { float, int, Strategy, type FillInfo, type OrderInfo } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { WITHOUT_FEES, quietBars } from './callableStrategy.ts';
import { run } from './backtestFixture.ts';

/** The strategy as plain JavaScript sees it, without types. */
type Untyped = any; // oxlint-disable-line typescript/no-explicit-any -- the subject of this test

type Read = (strategy: Untyped, seen: { readonly order: Untyped; readonly fill: Untyped }) => unknown;

/** Returns a strategy that buys once, and calls `read` with itself, its order and its fill. */
function strategyThatReads(read: Read): StrategyClass {
  class ReadsMembers extends Strategy.with({ fast: int(3), threshold: float(0.5) }) {
    #order: OrderInfo | null = null;
    #row = 0;
    override onBar() {
      if (this.#row++ === 0) this.buy({ base: '0.1' });
    }
    override onOrder(order: OrderInfo) {
      this.#order = order;
    }
    override onFill(fill: FillInfo) {
      read(this, { order: this.#order, fill });
    }
  }
  return ReadsMembers;
}

const runWith = (read: Read) => run({ strategies: [strategyThatReads(read)], feeds: { bars: quietBars(6) }, ...WITHOUT_FEES });

/** Returns the message of the StrategyError, and an extra text if its stack does not begin at the line of the strategy. */
async function messageOf(read: Read): Promise<string> {
  const error: unknown = await runWith(read).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StrategyError)) return `no StrategyError: ${String(error)}`;
  // The first line of the stack is the line of the strategy.
  const [, firstLine = '', secondLine = ''] = (error.cause as Error).stack!.split('\n');
  return secondLine.includes('members.test.ts') ? error.message : `${error.message} without its line: ${firstLine} ${secondLine}`;
}

describe('a misspelt member ends the run', () => {
  it.each<[string, Read, string]>([
    ['a long form', (strategy) => strategy.position().quantity > 0, 'the position has no member quantity: did you mean qty?'],
    ['a capital letter', (strategy) => strategy.position().isflat, 'the position has no member isflat: did you mean isFlat?'],
    ['of an order', (_, { order }) => order.filledQty, 'the order has no member filledQty: did you mean filled?'],
    ['of an order, a field', (_, { order }) => order.lifecicle, 'the order has no member lifecicle: did you mean lifecycle?'],
    ['of a fill', (_, { fill }) => fill.prize, 'the fill has no member prize: did you mean price?'],
    ['of a series', (strategy) => strategy.bars.close.valu, 'the series has no member valu: did you mean value?'],
    ['a short form', (strategy) => strategy.bars.vol, 'the feed has no member vol: did you mean volume?'],
    ['of a bar', (strategy) => strategy.bars.bar.closeTime, 'the bar has no member closeTime: did you mean closeMs?'],
    [
      'of an instrument',
      (strategy) => strategy.bars.instrument.pricedigits,
      'the instrument has no member pricedigits: did you mean priceDigits?',
    ],
    ['of the parameters', (strategy) => strategy.params.fsat, 'this.params has no member fsat: did you mean fast?'],
    [
      'by destructuring',
      (strategy) => (({ entryprice }) => entryprice)(strategy.position()),
      'the position has no member entryprice: did you mean entryPrice?',
    ],
    [
      'with a default',
      (strategy) => strategy.position().size ?? 0,
      'the position has no member size; it has qty, long, short, entryPrice, ',
    ],
    [
      'without the call',
      (strategy) => strategy.position.isFlat,
      'this.position is a method and has no member isFlat: write this.position().isFlat',
    ],
  ])('a misspelt member ends the run with an error that names the nearest one: %s', async (_, read, expected) => {
    expect(await messageOf(read)).toContain(expected);
  });
});

it('existing members, reads by JavaScript itself and checks whether a member exists are no errors', async () => {
  let viewCount = 0;
  await runWith((strategy, { order, fill }) => {
    const views = [
      strategy.position(),
      order,
      fill,
      strategy.bars,
      strategy.bars.bar,
      strategy.bars.close,
      strategy.bars.instrument,
      strategy.params,
    ];
    for (const view of views) {
      JSON.stringify(view);
      String(view);
      expect(view instanceof Object).toBe(true);
      expect('nothing' in view).toBe(false);
      expect(Reflect.get(view, 'nothing')).toBeUndefined();
      expect({ ...view }.nothing).toBeUndefined();
      expect(Symbol.iterator in view).toBe(false);
      void Promise.resolve(view);
      viewCount++;
    }
    // A spot pair has no contract. Code for both markets may check that.
    expect(strategy.bars.instrument.contract).toBeUndefined();
    order.mine = 5;
    expect(order.mine).toBe(5);
    expect(Object.keys({ ...order })).toEqual(['id', 'side', 'lifecycle', 'tag', 'limit', 'trigger', 'entry', 'code', 'mine']);
    expect(strategy.position.bind(strategy)().isFlat).toBe(false);
    expect(strategy.unset).toBeUndefined();
  });
  expect(viewCount).toBe(8);
});
