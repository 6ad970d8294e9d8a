// One fee for all contracts of a run, as a lane of a break-even has it, does what the same rate in the records of the contracts does.

import { expect, it } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { columnsOf, planFor, walkBars } from './world.ts';

/** Takes nearly all that its account can back, so that a fee that is held decides what passes. */
class Greedy extends Strategy {
  row = 0;
  override onBar() {
    if (this.row++ % 5 === 4) this.exit();
    else this.target({ equity: this.row % 10 < 5 ? '9.9' : '-9.9' });
  }
}

const FUTURES = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };

async function columnsWith(terms: object, contractPpm: number | null): Promise<object> {
  const bars = walkBars({ rows: 300, seed: 5, instrument: linearContract(terms), start: 400_000, step: 400 });
  const fees = contractPpm === null ? {} : { contractPpm };
  const plan = { ...planFor({ strategies: [Greedy], feeds: { bars }, cash: { USDT: '100000' }, fees }), futures: FUTURES };
  const prepared = await prepareBacktest(plan);
  prepared.loop(prepared.engine);
  const record = runRecordOf(plan, prepared, false);
  expect(record.fills.length).toBeGreaterThan(5);
  return columnsOf(record);
}

const rates = (ppm: number) => ({ openMakerFeePpm: ppm, openTakerFeePpm: ppm, closeMakerFeePpm: ppm, closeTakerFeePpm: ppm });

it.each([0, 90, 300])('%d ppm', async (ppm) => {
  const own = await columnsWith(rates(ppm), null);
  expect(await columnsWith(rates(600), ppm)).toEqual(own);
  if (ppm !== 90) expect(await columnsWith(rates(90), null)).not.toEqual(own);
});
