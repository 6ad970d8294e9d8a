// The whole bot from the container, once in a replay and once before a stub: one script of twenty orders, and no difference.

import 'reflect-metadata';
import { Container } from 'inversify';
import { expect, it } from 'vitest';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { botModule } from '../../src/app/botModule.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { openVenue, replayModule } from '../../src/app/replayModule.ts';
import { TOKENS } from '../../src/app/tokens.ts';
import { Scratch } from '../../src/base/memory/rowLog.ts';
import { sealEngine } from '../../src/engine/loop/setUp.ts';
import { addStrategiesAndCash } from '../engine/world.ts';
import { exchangePortSuite, play, type MakeWorld, type World } from './exchangePort.ts';
import { restPort } from './restPort.ts';
import { StubExchange, stubModule } from './stubExchange.ts';

async function resolveBot(
  plan: RunPlan,
  module: ReturnType<typeof stubModule>,
  connect: (container: Container, deposits: Map<string, number>) => void,
): Promise<World> {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(botModule(plan, { log: () => {}, beat: null }, new Scratch()), module);
  const engine = container.get(TOKENS.engine);
  const deposits = addStrategiesAndCash(engine, plan);
  sealEngine(engine, null);
  connect(container, deposits);
  const journal = container.get(TOKENS.journal);
  return { engine, journalHash: () => (journal instanceof ReplayJournal ? journal.hash : '') };
}

const replayWorld: MakeWorld = (plan, faultOf) =>
  resolveBot(plan, replayModule(plan, faultOf), (container, deposits) => {
    openVenue(plan, container.get(TOKENS.engine), container.get(TOKENS.exchange), [deposits]);
  });

const stubWorld: MakeWorld = (plan, faultOf) =>
  resolveBot(plan, stubModule(faultOf), (container) => {
    const engine = container.get(TOKENS.engine);
    const exchange = container.get(TOKENS.exchange);
    expect(exchange).toBeInstanceOf(StubExchange);
    if (exchange instanceof StubExchange) exchange.connect(engine, () => engine.nowMs);
  });

exchangePortSuite('the replay', replayWorld);
exchangePortSuite('the stub', stubWorld);
exchangePortSuite('REST before the paper exchange', restPort);

it('the bot does the same behind both: lifecycles, orders, fills, ledger and journal', async () => {
  const { engine: replayed, ...replay } = await play(replayWorld);
  const { engine: stubbed, ...stub } = await play(stubWorld);
  expect(stubbed).not.toBe(replayed);
  expect(stubbed.orders).not.toBe(replayed.orders);
  expect(stub).toEqual(replay);
});

it('and behind REST: the same lifecycles, orders, fills and ledger, at times of its own', async () => {
  const [{ lifecycles, orders, fills, cash, held }, rest] = [await play(replayWorld), await play(restPort)];
  const timeless = (rows: readonly object[]) => rows.map((row) => ({ ...row, minute: null }));
  expect(rest).toMatchObject({ lifecycles, orders, cash, held });
  expect(timeless(rest.fills)).toEqual(timeless(fills));
});
