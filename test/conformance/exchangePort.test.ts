// Tests that one script of twenty orders gives the same results in a replay, with a scripted exchange, and through REST.

import { expect, it } from 'vitest';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { createBot, type World as BotWorld } from '../../src/app/bot.ts';
import { composeModule } from '../../src/app/composeModule.ts';
import { PARTS } from '../../src/app/parts.ts';
import { passOn } from '../../src/base/passOn.ts';
import { NO_MODELS } from '../../src/definition/models/loadModels.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { openVenue, replayWorld } from '../../src/app/replayWorld.ts';
import { sealEngine } from '../../src/engine/loop/setUp.ts';
import { addStrategiesAndCash } from '../engine/backtestFixture.ts';
import { exchangePortSuite, runScript, type OpenWorld, type ConformanceWorld } from './exchangePort.ts';
import { restPort } from './restPort.ts';
import { scriptedExchangeModule } from './scriptedExchange.ts';

/** Returns the world of a bot that is ready to run. */
async function openWorldOf(plan: RunPlan, world: BotWorld): Promise<ConformanceWorld> {
  const bot = createBot(plan, world);
  const { engine, journal } = bot;
  const deposits = addStrategiesAndCash(engine, plan);
  sealEngine(engine, null);
  openVenue(plan, bot, [deposits]);
  return { engine, journalHash: () => (journal instanceof ReplayJournal ? journal.hash : '') };
}

const replay: OpenWorld = (plan, faultOf) => openWorldOf(plan, replayWorld(plan, { faultOf }));
const openScripted: OpenWorld = (plan, faultOf) => openWorldOf(plan, scriptedExchangeModule(faultOf));

/** A module of an author that wraps the exchange and the journal, and changes nothing. */
const passingModule = composeModule('passing', ({ rebind }) => {
  rebind(PARTS.exchange).wrap((exchange) => passOn(exchange, {}));
  rebind(PARTS.journal).wrap((journal) => passOn(journal, {}));
});
const replayBehindModules: OpenWorld = (plan, faultOf) =>
  openWorldOf(
    { ...plan, models: { ...NO_MODELS, modules: [{ module: passingModule, place: 'modules.0' }] } },
    replayWorld(plan, { faultOf }),
  );

exchangePortSuite('the replay', replay);
exchangePortSuite('the replay behind modules', replayBehindModules);
exchangePortSuite('the scripted exchange', openScripted);
exchangePortSuite('REST before the paper exchange', restPort);

it('the replay and the scripted exchange give the same lifecycles, orders, fills, ledger and journal', async () => {
  const { engine: replayEngine, ...replayResults } = await runScript(replay);
  const { engine: scriptedEngine, ...scriptedResults } = await runScript(openScripted);
  expect(scriptedEngine).not.toBe(replayEngine);
  expect(scriptedEngine.orders).not.toBe(replayEngine.orders);
  expect(scriptedResults).toEqual(replayResults);
});

it('the script behind REST gives the same lifecycles, orders, fills and ledger, at its own times', async () => {
  const { lifecycles, orders, fills, cashUnits, baseUnits } = await runScript(replay);
  const restOutcome = await runScript(restPort);
  const withoutTimes = (rows: readonly object[]) => rows.map((row) => ({ ...row, minute: null }));
  expect(restOutcome).toMatchObject({ lifecycles, orders, cashUnits, baseUnits });
  expect(withoutTimes(restOutcome.fills)).toEqual(withoutTimes(fills));
});
