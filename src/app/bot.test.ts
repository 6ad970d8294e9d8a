// Bots from the container: what bots of one maker share, how often factories run, and which parts a live world keeps for itself.

import { expect, test } from 'vitest';
import { linearContract } from '../../test/fixtures/futuresVenue.ts';
import { barsOfRows, planFor, spotInstrument } from '../../test/engine/world.ts';
import { NO_MODELS } from '../definition/models/load.ts';
import type { ComposeModule } from '../definition/plan/module.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { Strategy } from '../strategy/strategy.ts';
import { botMaker, createBot } from './bot.ts';
import { composeModule } from './composeModule.ts';
import { Overrides } from './overrides.ts';
import { PARTS } from './parts.ts';
import { replayWorld } from './replayWorld.ts';

class Idle extends Strategy {}

const rows = [[10_000, 10_030, 9970, 10_000] as const];
const spot = planFor({ strategies: [Idle], feeds: { bars: barsOfRows(rows) } });

const contract = linearContract();
const coin = spotInstrument('BTC', { priceDigits: contract.priceDigits, quoteDigits: contract.quoteDigits });
const both = planFor({
  strategies: [Idle],
  feeds: { spot: barsOfRows(rows, coin), perp: barsOfRows(rows, contract) },
  funds: { spot: { USDT: '5000' }, futures: { USDT: '5000' } },
  futures: { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() },
});

const withModules = (plan: RunPlan, ...modules: readonly ComposeModule[]): RunPlan => ({
  ...plan,
  models: { ...NO_MODELS, modules: modules.map((module, at) => ({ module, place: `modules.${at}` })) },
});

test('bots of one maker share feeds and time, and nothing else', () => {
  const make = botMaker(spot, replayWorld(spot));
  const [one, two] = [make().engine, make().engine];
  expect(two.feeds).toBe(one.feeds);
  expect(two.instant).toBe(one.instant);
  for (const part of ['orders', 'risk', 'ledger', 'reservations', 'exchange', 'queue'] as const) expect(two[part]).not.toBe(one[part]);
  expect(one.deps.orders).toBe(one.orders);
});

test('a factory runs once for each bot, and its part is the one that other parts get', () => {
  const made: object[] = [];
  const module = composeModule('own', ({ rebind }) => {
    rebind(PARTS.risk).wrap((risk) => {
      made.push(risk);
      return risk;
    });
    rebind(PARTS.journal).wrap(
      (journal, _, risk) => {
        expect(risk).toBe(made.at(-1));
        return journal;
      },
      [PARTS.risk],
    );
  });
  const plan = withModules(spot, module);
  const make = botMaker(plan, replayWorld(plan));
  expect([make().engine.risk, make().engine.risk]).toEqual(made);
  expect(made).toHaveLength(2);
});

test.each([
  ['one market', spot, 1],
  ['both markets', both, 2],
])('a run over %s has a fee model for each account', (_, of, accounts) => {
  let made = 0;
  const module = composeModule('own', ({ rebind }) => rebind(PARTS.fees).to(() => ({ ppm: () => ++made })));
  const plan = withModules(of, module);
  const fees = createBot(plan, replayWorld(plan)).venue?.fees ?? [];
  expect(new Set(fees).size).toBe(accounts);
});

test('notifiers of several modules come in their order', () => {
  const named = (name: string) =>
    composeModule(name, ({ rebind }) => rebind(PARTS.notifier).to(() => ({ name, send: (_, done) => (done(null), () => {}) })));
  const plan = withModules(spot, named('one'), named('two'));
  expect(createBot(plan, replayWorld(plan)).notifiers.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('overrides of some parts leave the others as isobar binds them', () => {
  const module = composeModule('own', ({ rebind }) => {
    rebind(PARTS.risk).to(() => {
      throw new Error('not asked');
    });
    rebind(PARTS.rules).to(() => [{ kind: 'order', code: 'OWN_RULE', keys: [], needs: [], check: () => true, detail: () => '' }]);
  });
  const plan = withModules(spot, module);
  const overrides = new Overrides(plan.models, ['rules']);
  expect(createBot(plan, replayWorld(plan), { overrides }).engine.risk.rulesOn()).toContain('OWN_RULE');
});
