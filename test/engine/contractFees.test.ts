// Tests that a fee for all contracts, as the break-even search sets it, gives the same results as the same fee in each contract.

import { expect, it } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { columnsOf, planFor, walkBars } from './backtestFixture.ts';

/** Uses nearly all margin of its account, so that the reserved fee decides whether an order is approved. */
class NearlyFullMargin extends Strategy {
  row = 0;
  override onBar() {
    if (this.row++ % 5 === 4) this.exit();
    else this.target({ equity: this.row % 10 < 5 ? '9.9' : '-9.9' });
  }
}

const FUTURES = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };

/** Runs a contract with `contractTerms`. `overridePpm` is the fee for all contracts of the run; null leaves the fees of the contract. */
async function columnsWith(contractTerms: object, overridePpm: number | null): Promise<object> {
  const bars = walkBars({ rows: 300, seed: 5, instrument: linearContract(contractTerms), start: 400_000, step: 400 });
  const fees = overridePpm === null ? {} : { contractPpm: overridePpm };
  const plan = { ...planFor({ strategies: [NearlyFullMargin], feeds: { bars }, cash: { USDT: '100000' }, fees }), futures: FUTURES };
  const prepared = await prepareBacktest(plan);
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  expect(record.fills.length).toBeGreaterThan(5);
  return columnsOf(record);
}

const feeTerms = (ppm: number) => ({ openMakerFeePpm: ppm, openTakerFeePpm: ppm, closeMakerFeePpm: ppm, closeTakerFeePpm: ppm });

it.each([0, 90, 300])('a fee of %d ppm for all contracts gives the results of contracts with that fee', async (ppm) => {
  const withContractFee = await columnsWith(feeTerms(ppm), null);
  expect(await columnsWith(feeTerms(600), ppm)).toEqual(withContractFee);
  // Other fees give other results. Otherwise the test would also pass if fees had no effect.
  if (ppm !== 90) expect(await columnsWith(feeTerms(90), null)).not.toEqual(withContractFee);
});
