// Tests sizes of sizeByRisk on contracts: the loss at the stop is the risk, whatever one contract is worth.

import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { sizeByRisk, Strategy, type Size } from '../../src/index.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, planFor, spotInstrument } from './world.ts';

const PRICE = 10_000;
const FREE = { openMakerFeePpm: 0, openTakerFeePpm: 0, closeMakerFeePpm: 0, closeTakerFeePpm: 0 };

/** Gives each test its own action at the first bar. */
class OneAct extends Strategy {
  isDone = false;
  act: (strategy: OneAct) => void = () => {};
  buySize = (size: Size) => this.buy(size);
  sellSize = (size: Size) => this.sell(size);
  targetSize = (size: Size) => this.target(size);
}

/** Runs the act at the first bar over flat prices, and returns the filled lots, negative for a sale. */
async function lotsOf(instrument: Instrument, act: (strategy: OneAct) => void, sizeScale = 1): Promise<number[]> {
  const ticks = PRICE * 10 ** instrument.priceDigits;
  const bars = barsOfRows(
    Array.from({ length: 4 }, () => [ticks, ticks, ticks, ticks, 1e12] as const),
    instrument,
  );
  const strategy = class extends OneAct {
    override onBar() {
      if (!this.isDone) act(this);
      this.isDone = true;
    }
  };
  const plan = planFor({
    strategies: [strategy],
    feeds: { bars },
    fees: { makerPpm: 0, takerPpm: 0 },
    cash: { [instrument.quote]: '1000000' },
    sizeScale,
  });
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  const fullPlan = instrument.contract === undefined ? plan : { ...plan, futures };
  const prepared = await prepareBacktest(fullPlan);
  prepared.loop(prepared.engine);
  const { fills } = runRecordOf(fullPlan, prepared, false);
  return Array.from(fills.lots, (lots, index) => (fills.side[index] === 0 ? lots : -lots));
}

const BY_RISK = { equity: '100000', risk: '0.01', entry: PRICE, stop: 9500 };

describe('a size by risk', () => {
  it.each([
    ['0.001', { multiplier: 1, multiplierDigits: 3 }, 2000],
    ['0.007', { multiplier: 7, multiplierDigits: 3 }, 285],
    ['1', { multiplier: 1, multiplierDigits: 0 }, 2],
    ['2', { multiplier: 2, multiplierDigits: 0 }, 1],
  ])('of two coins is the contracts of %s coins that are worth as much, rounded down', async (_, terms, contracts) => {
    const instrument = linearContract({ ...FREE, ...terms });
    expect(await lotsOf(instrument, (strategy) => strategy.buySize(sizeByRisk(BY_RISK)))).toEqual([contracts]);
    expect(await lotsOf(instrument, (strategy) => strategy.sellSize(sizeByRisk(BY_RISK)))).toEqual([-contracts]);
    expect(await lotsOf(instrument, (strategy) => strategy.targetSize({ ...sizeByRisk(BY_RISK) }))).toEqual([contracts]);
  });

  it('of two coins is two coins on spot, and a size that is written out counts contracts', async () => {
    expect(await lotsOf(spotInstrument(), (strategy) => strategy.buySize(sizeByRisk(BY_RISK)))).toEqual([2000]);
    expect(await lotsOf(linearContract(FREE), (strategy) => strategy.buySize({ base: '2' }))).toEqual([2]);
  });

  it('is multiplied by the size scale before it is rounded', async () => {
    const instrument = linearContract({ ...FREE, multiplier: 7 });
    expect(await lotsOf(instrument, (strategy) => strategy.buySize(sizeByRisk(BY_RISK)), 2)).toEqual([571]);
  });

  it('loses at its stop at most the risk, and one contract more would lose more than it', async () => {
    const rng = seededRng(3);
    for (let round = 0; round < 40; round++) {
      const multiplier = 1 + Math.floor(rng.next() * 99);
      const multiplierDigits = Math.floor(rng.next() * 5);
      const distance = 100 + Math.floor(rng.next() * 3000);
      const [held = 0] = await lotsOf(linearContract({ ...FREE, multiplier, multiplierDigits }), (strategy) =>
        strategy.buySize(sizeByRisk({ ...BY_RISK, stop: PRICE - distance })),
      );
      const loss = (contracts: number) =>
        new Decimal(multiplier)
          .div(10 ** multiplierDigits)
          .times(contracts)
          .times(distance);
      expect(loss(held).lte(1000)).toBe(true);
      expect(loss(held + 1).gt(1000)).toBe(true);
    }
  });

  it('of an inverse contract is an error that says what to give instead', async () => {
    const run = lotsOf(inverseContract(FREE), (strategy) => strategy.buySize(sizeByRisk(BY_RISK)));
    await expect(run).rejects.toThrow(/sizeByRisk for \S+, an inverse contract/);
  });
});
