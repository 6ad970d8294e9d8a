// A misspelt member of what a strategy reads is an error that names the member, the nearest one and the line.

import { describe, expect, it } from 'vitest';
import { StrategyError } from '../../src/base/errors.ts';
import { float, int, Strategy, type FillInfo, type OrderInfo } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { FREE, quietBars } from './strategyApi.ts';
import { run } from './world.ts';

/** What plain JavaScript sees: no type of anything. */
type Untyped = any; // oxlint-disable-line typescript/no-explicit-any -- the subject of this test

type Read = (own: Untyped, seen: { readonly order: Untyped; readonly fill: Untyped }) => unknown;

function reader(read: Read): StrategyClass {
  class Reads extends Strategy.with({ fast: int(3), threshold: float(0.5) }) {
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
  return Reads;
}

const reading = (read: Read) => run({ strategies: [reader(read)], feeds: { bars: quietBars(6) }, ...FREE });

async function messageOf(read: Read): Promise<string> {
  const error: unknown = await reading(read).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StrategyError)) return `no StrategyError: ${String(error)}`;
  // The line of the strategy is the first of the stack.
  const [, first = '', second = ''] = (error.cause as Error).stack!.split('\n');
  return second.includes('members.test.ts') ? error.message : `${error.message} without its line: ${first} ${second}`;
}

describe('members: a misspelt one ends the run', () => {
  it.each<[string, Read, string]>([
    ['a long form', (own) => own.position().quantity > 0, 'the position has no member quantity: did you mean qty?'],
    ['a capital letter', (own) => own.position().isflat, 'the position has no member isflat: did you mean isFlat?'],
    ['of an order', (_, { order }) => order.filledQty, 'the order has no member filledQty: did you mean filled?'],
    ['of an order, a field', (_, { order }) => order.lifecicle, 'the order has no member lifecicle: did you mean lifecycle?'],
    ['of a fill', (_, { fill }) => fill.prize, 'the fill has no member prize: did you mean price?'],
    ['of a series', (own) => own.bars.close.valu, 'the series has no member valu: did you mean value?'],
    ['a short form', (own) => own.bars.vol, 'the feed has no member vol: did you mean volume?'],
    ['of a bar', (own) => own.bars.bar.closeTime, 'the bar has no member closeTime: did you mean closeMs?'],
    ['of an instrument', (own) => own.bars.instrument.pricedigits, 'the instrument has no member pricedigits: did you mean priceDigits?'],
    ['of the parameters', (own) => own.params.fsat, 'this.params has no member fsat: did you mean fast?'],
    [
      'by destructuring',
      (own) => (({ entryprice }) => entryprice)(own.position()),
      'the position has no member entryprice: did you mean entryPrice?',
    ],
    ['with a default', (own) => own.position().size ?? 0, 'the position has no member size; it has qty, long, short, entryPrice, '],
    ['without the call', (own) => own.position.isFlat, 'this.position is a method and has no member isFlat: write this.position().isFlat'],
  ])('%s', async (_, read, expected) => {
    expect(await messageOf(read)).toContain(expected);
  });
});

it('members: what exists, what JavaScript asks for and questions whether there is one are no errors', async () => {
  let count = 0;
  await reading((own, { order, fill }) => {
    const views = [own.position(), order, fill, own.bars, own.bars.bar, own.bars.close, own.bars.instrument, own.params];
    for (const view of views) {
      JSON.stringify(view);
      String(view);
      expect(view instanceof Object).toBe(true);
      expect('nothing' in view).toBe(false);
      expect(Reflect.get(view, 'nothing')).toBeUndefined();
      expect({ ...view }.nothing).toBeUndefined();
      expect(Symbol.iterator in view).toBe(false);
      void Promise.resolve(view);
      count++;
    }
    // A spot pair has no contract, which code for both markets asks for.
    expect(own.bars.instrument.contract).toBeUndefined();
    order.mine = 5;
    expect(order.mine).toBe(5);
    expect(Object.keys({ ...order })).toEqual(['id', 'side', 'lifecycle', 'tag', 'limit', 'trigger', 'entry', 'code', 'mine']);
    expect(own.position.bind(own)().isFlat).toBe(false);
    expect(own.unset).toBeUndefined();
  });
  expect(count).toBe(8);
});
