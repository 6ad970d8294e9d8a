// Tests a live bot that rebalances two symbols at every bar over two starts: no order is denied, and a replay decides the same.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { beta, div, rank, roc, Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';
import { clientOrderIdsOf, lostAfterWait, OWN_DENIALS, recordsSoFar, sentAfterWait } from './waitingOrders.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Moves from one coin to the other at every third bar. Series over both coins give its weight. */
class CoinRotation extends Strategy {
  other = this.feed('other');
  ratio = this.use(div(this.bars.close, this.other.close));
  hedge = this.use(beta(this.bars.close, this.other.close, 5));
  returns = [this.use(roc(this.bars.close, 3)), this.use(roc(this.other.close, 3))];
  returnRank = this.use(rank(this.returns[0]!, this.returns));
  barCount = this.keep({ count: 0 });

  override onBar() {
    if (!this.bars.fresh || !this.other.fresh) return;
    const isOwnTurn = Math.floor(this.barCount.count++ / 3) % 2 === 0;
    // Every series changes the weight a little, so that the test notices a series that a replay computes differently.
    const ratioPart = Math.abs(this.ratio.value % 0.1);
    const hedgePart = Math.min(0.1, Math.abs(this.hedge.value) / 1000);
    const weight = 0.2 + ratioPart + hedgePart + this.returnRank.value / 100;
    const ownSymbol = this.bars.instrument.wireName;
    const otherSymbol = this.other.instrument.wireName;
    if (this.ratio.ready) this.rebalance({ [isOwnTurn ? ownSymbol : otherSymbol]: weight }, { band: '0.01' });
  }
}

/** The instruments in the order of the feeds. */
const SYMBOLS = ['spot:BTCUSDT', 'spot:ETHUSDT'];
const CONFIG = `strategy: coinRotation.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m }, other: { symbol: ETHUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
/** Loads the class of this test in place of a strategy file. */
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: CoinRotation, name: 'CoinRotation', hash: 'CoinRotation' }, source),
  inputs: [],
  folder: '.',
});

/** Runs the bot until the given number of orders has waited for the end of another one and was sent. */
async function runUntilSentAfterWait(orderCount: number): Promise<void> {
  const opened = await fixture.open(fixture.config(CONFIG), [CoinRotation], { load });
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  const countAtStart = sentAfterWait(recordsSoFar(join(fixture.folder, 'bot')));
  await until(() => sentAfterWait(recordsSoFar(join(fixture.folder, 'bot'))) >= countAtStart + orderCount, 60_000, 'rebalances').catch(
    (error: unknown) => {
      throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
    },
  );
  await stopAndClose(opened);
}

/** Returns the amount of each purchase that waited, and the value of its quantity at the close that was known at the decision. */
function waitedPurchases(
  records: readonly JournalRecord[],
): readonly { readonly requested: string | null; readonly valueAtDecision: string }[] {
  const closeBySymbol = new Map<string, number>();
  const valueByCid = new Map<string, string>();
  return records.flatMap((record) => {
    if (record.k === 'INSTANT') {
      // A bar in a record: index of its feed, times and prices; the close is at place 5.
      for (const bar of record.bars) closeBySymbol.set(SYMBOLS[bar[0]!]!, bar[5]!);
    }
    if (record.k === 'DRAFT') valueByCid.set(record.cid, new Decimal(record.qty!).times(closeBySymbol.get(record.symbol)!).toString());
    const valueAtDecision = record.k === 'INTENT' ? valueByCid.get(record.cid) : undefined;
    if (record.k !== 'INTENT' || valueAtDecision === undefined) return [];
    return [{ requested: record.amount === null ? null : new Decimal(record.amount).toString(), valueAtDecision }];
  });
}

test('buys of a rebalance wait for its sales without a denied order, and a replay of the journal makes the same decisions', async () => {
  fixture = await LiveFixture.open(60);
  await runUntilSentAfterWait(3);
  await runUntilSentAfterWait(2);
  expect(fixture.lines.filter((line) => line.includes('denied') && OWN_DENIALS.test(line))).toEqual([]);
  const dataFolder = join(fixture.folder, 'bot');
  const records = recordsSoFar(join(fixture.folder, 'bot'));
  expect(sentAfterWait(records)).toBeGreaterThanOrEqual(5);
  // One order may still wait at the end of each process, and is lost.
  expect(lostAfterWait(records, fixture.lines)).toBeLessThanOrEqual(2);
  expect(waitedPurchases(records).filter(({ requested, valueAtDecision }) => requested !== valueAtDecision)).toEqual([]);
  expect(waitedPurchases(records).length).toBeGreaterThanOrEqual(3);
  // The sales that a buy waits for are never cancelled.
  expect(clientOrderIdsOf(records, 'CANCEL')).toEqual([]);
  expect((await replayFolder(dataFolder, { config: null, load })).difference).toBeNull();
});
