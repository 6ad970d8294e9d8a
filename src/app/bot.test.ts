// Tests bots from the container: the parts that bots of one maker share, how often factories run, and the effect of overrides.

import { expect, test } from 'vitest';
import { linearContract } from '../../test/fixtures/futuresVenue.ts';
import { barsOfRows, planFor, spotInstrument } from '../../test/engine/backtestFixture.ts';
import { NO_MODELS } from '../definition/models/loadModels.ts';
import type { ComposeModule } from '../definition/plan/module.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { Strategy } from '../strategy/strategy.ts';
import { botMaker, createBot } from './bot.ts';
import { composeModule } from './composeModule.ts';
import { Overrides } from './overrides.ts';
import { PARTS } from './parts.ts';
import { replayWorld } from './replayWorld.ts';

class Idle extends Strategy {}

/** Open, high, low and close of the only bar, in ticks. */
const rows = [[10_000, 10_030, 9970, 10_000] as const];
const spot = planFor({ strategies: [Idle], feeds: { bars: barsOfRows(rows) } });

const contract = linearContract();
const coin = spotInstrument('BTC', { priceDigits: contract.priceDigits, quoteDigits: contract.quoteDigits });
const bothMarkets = planFor({
  strategies: [Idle],
  feeds: { spot: barsOfRows(rows, coin), perp: barsOfRows(rows, contract) },
  funds: { spot: { USDT: '5000' }, futures: { USDT: '5000' } },
  futures: { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() },
});

const withModules = (plan: RunPlan, ...modules: readonly ComposeModule[]): RunPlan => ({
  ...plan,
  models: { ...NO_MODELS, modules: modules.map((module, index) => ({ module, place: `modules.${index}` })) },
});

test('bots of one maker share only feeds and time', () => {
  const makeBot = botMaker(spot, replayWorld(spot));
  const firstEngine = makeBot().engine;
  const secondEngine = makeBot().engine;
  expect(secondEngine.feeds).toBe(firstEngine.feeds);
  expect(secondEngine.instant).toBe(firstEngine.instant);
  for (const part of ['orders', 'risk', 'ledger', 'reservations', 'exchange', 'queue'] as const)
    expect(secondEngine[part]).not.toBe(firstEngine[part]);
  expect(firstEngine.deps.orders).toBe(firstEngine.orders);
});

test('a factory runs once for each bot, and other parts receive its result', () => {
  const createdParts: object[] = [];
  const module = composeModule('own', ({ rebind }) => {
    rebind(PARTS.risk).wrap((risk) => {
      createdParts.push(risk);
      return risk;
    });
    rebind(PARTS.journal).wrap(
      (journal, _, risk) => {
        expect(risk).toBe(createdParts.at(-1));
        return journal;
      },
      [PARTS.risk],
    );
  });
  const plan = withModules(spot, module);
  const makeBot = botMaker(plan, replayWorld(plan));
  expect([makeBot().engine.risk, makeBot().engine.risk]).toEqual(createdParts);
  expect(createdParts).toHaveLength(2);
});

test.each([
  ['one market', spot, 1],
  ['both markets', bothMarkets, 2],
])('a run over %s has a fee model for each account', (_, marketPlan, accounts) => {
  let createdParts = 0;
  const module = composeModule('own', ({ rebind }) => rebind(PARTS.fees).to(() => ({ ppm: () => ++createdParts })));
  const plan = withModules(marketPlan, module);
  const fees = createBot(plan, replayWorld(plan)).venue?.fees ?? [];
  expect(new Set(fees).size).toBe(accounts);
});

test('notifiers of several modules are in the order of the modules', () => {
  const named = (name: string) =>
    composeModule(name, ({ rebind }) => rebind(PARTS.notifier).to(() => ({ name, send: (_, done) => (done(null), () => {}) })));
  const plan = withModules(spot, named('one'), named('two'));
  expect(createBot(plan, replayWorld(plan)).notifiers.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('overrides of selected parts do not call the factories of other parts', () => {
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
