// Tests sizes of sizeByRisk on contracts: a position loses at its stop what it risks, whatever one contract is worth.

import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { sizeByRisk, Strategy, type Size } from '../../src/index.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { NO_CONTRACT_FEES, barsOfRows, planFor, spotInstrument } from './backtestFixture.ts';

const ENTRY_PRICE = 10_000;

/** A strategy whose protected actions are public. */
class OneAction extends Strategy {
  isDone = false;
  buySize = (size: Size) => this.buy(size);
  sellSize = (size: Size) => this.sell(size);
  targetSize = (size: Size) => this.target(size);
}

/** Runs `act` at the first of four bars of one price. Returns the lots of each fill, negative for a sale. */
async function filledLots(instrument: Instrument, act: (strategy: OneAction) => void, sizeScale = 1): Promise<number[]> {
  const ticks = ENTRY_PRICE * 10 ** instrument.priceDigits;
  const bars = barsOfRows(
    Array.from({ length: 4 }, () => [ticks, ticks, ticks, ticks, 1e12] as const),
    instrument,
  );
  const strategy = class extends OneAction {
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

/** Risks 1 % of 100,000, which is 1,000. The stop is 500 below the entry, so the size is 2 coins. */
const BY_RISK = { equity: '100000', risk: '0.01', entry: ENTRY_PRICE, stop: 9500 };

describe('a size by risk', () => {
  it.each([
    { coins: '0.001', terms: { multiplier: 1, multiplierDigits: 3 }, contracts: 2000 },
    { coins: '0.007', terms: { multiplier: 7, multiplierDigits: 3 }, contracts: 285 },
    { coins: '1', terms: { multiplier: 1, multiplierDigits: 0 }, contracts: 2 },
    { coins: '2', terms: { multiplier: 2, multiplierDigits: 0 }, contracts: 1 },
  ])('a size by risk of 2 coins is $contracts contracts of $coins coins', async ({ terms, contracts }) => {
    const instrument = linearContract({ ...NO_CONTRACT_FEES, ...terms });
    expect(await filledLots(instrument, (strategy) => strategy.buySize(sizeByRisk(BY_RISK)))).toEqual([contracts]);
    expect(await filledLots(instrument, (strategy) => strategy.sellSize(sizeByRisk(BY_RISK)))).toEqual([-contracts]);
    expect(await filledLots(instrument, (strategy) => strategy.targetSize({ ...sizeByRisk(BY_RISK) }))).toEqual([contracts]);
  });

  it('a size by risk of 2 coins is 2 coins on spot', async () => {
    expect(await filledLots(spotInstrument(), (strategy) => strategy.buySize(sizeByRisk(BY_RISK)))).toEqual([2000]);
  });

  it('a size in base of a contract counts contracts, unlike a size by risk', async () => {
    expect(await filledLots(linearContract(NO_CONTRACT_FEES), (strategy) => strategy.buySize({ base: '2' }))).toEqual([2]);
  });

  it('the size scale multiplies a size by risk before it is rounded', async () => {
    const instrument = linearContract({ ...NO_CONTRACT_FEES, multiplier: 7 });
    expect(await filledLots(instrument, (strategy) => strategy.buySize(sizeByRisk(BY_RISK)), 2)).toEqual([571]);
  });

  it('a size by risk is the largest one that loses at most the risk at its stop', async () => {
    const rng = seededRng(3);
    for (let round = 0; round < 40; round++) {
      const multiplier = 1 + Math.floor(rng.next() * 99);
      const multiplierDigits = Math.floor(rng.next() * 5);
      const distance = 100 + Math.floor(rng.next() * 3000);
      const [contracts = 0] = await filledLots(linearContract({ ...NO_CONTRACT_FEES, multiplier, multiplierDigits }), (strategy) =>
        strategy.buySize(sizeByRisk({ ...BY_RISK, stop: ENTRY_PRICE - distance })),
      );
      const lossOf = (count: number) =>
        new Decimal(multiplier)
          .div(10 ** multiplierDigits)
          .times(count)
          .times(distance);
      expect(lossOf(contracts).lte(1000)).toBe(true);
      expect(lossOf(contracts + 1).gt(1000)).toBe(true);
    }
  });

  it('a size by risk of an inverse contract ends the run with an error', async () => {
    const run = filledLots(inverseContract(NO_CONTRACT_FEES), (strategy) => strategy.buySize(sizeByRisk(BY_RISK)));
    await expect(run).rejects.toThrow(/sizeByRisk for \S+, an inverse contract/);
  });
});
