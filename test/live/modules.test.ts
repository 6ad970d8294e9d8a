// Tests modules in a live bot: which of them take effect, also after a restart, and which are rejected at the start.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
beforeEach(async () => {
  fixture = await LiveFixture.open(60);
  mkdirSync(join(fixture.folder, 'modules'));
});
afterEach(async () => fixture.close());

/** Buys at one bar and sells at the next. */
class AlternatingTrader extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const CONFIG = `strategy: alternatingTrader.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;

/** Writes the source of a module with the given body. */
function writeModule(name: string, body: string): void {
  const head =
    "import { riskRule } from 'isobar';\nimport { composeModule, orderRuleOf, PARTS, passOn, type ExchangeSink } from 'isobar/compose';\n";
  writeFileSync(
    join(fixture.folder, 'modules', `${name}.ts`),
    `${head}export default composeModule('${name}', ({ rebind }) => {\n${body}\n});\n`,
  );
}
/** Returns the config of a bot with these modules. */
const configWith = (names: readonly string[], moreKeys = '') =>
  fixture.config(`${CONFIG}${moreKeys}modules: [${names.map((name) => `./modules/${name}.ts`).join(', ')}]\n`);

/** Body of a module with one risk rule, whose check returns `verdict`. */
const ruleBody = (verdict: string) =>
  `rebind(PARTS.rules).to(() => [orderRuleOf(riskRule({ code: 'OWN_RULE', check: () => ${verdict}, reductionsToo: true }))]);`;

/** Returns the number of calls that the wrappers of the module have counted, by the name of the part. */
const wrapperCalls = (): Record<string, number> => (Reflect.get(globalThis, 'wrapperCalls') ?? {}) as Record<string, number>;

/** Body of a module that wraps three parts and counts their calls. */
const WRAPPERS_BODY = `const calls = ((globalThis as { wrapperCalls?: Record<string, number> }).wrapperCalls = { clock: 0, exchange: 0, journal: 0 } as Record<string, number>);
  rebind(PARTS.clock).wrap((clock) => passOn(clock, { get nowMs() { calls.clock++; return clock.nowMs; } }));
  rebind(PARTS.exchange).wrap((exchange) => passOn(exchange, { submit(order, seq) { calls.exchange++; exchange.submit(order, seq); } }));
  rebind(PARTS.journal).wrap((journal) => passOn(journal, { submitted(order) { calls.journal++; return journal.submitted(order); } }));`;

test('wrappers of clock, exchange and journal are called by a bot on paper, also after a restart', async () => {
  writeModule('ports', WRAPPERS_BODY);
  for (const lifetime of ['first', 'second']) {
    const opened = await fixture.open(configWith(['ports']), [AlternatingTrader]);
    const { exchange: callsBefore = 0 } = wrapperCalls();
    opened.bot.start();
    // One order may have two fills.
    const hasTwoOrders = (): boolean => opened.bot.fills.length >= 2 && (wrapperCalls()['exchange'] ?? 0) >= callsBefore + 2;
    await until(hasTwoOrders, 60_000, `two fills of the ${lifetime} start`).catch(fixture.failWithLog);
    await stopAndClose(opened);
    const { clock = 0, exchange = 0, journal = 0 } = wrapperCalls();
    expect(exchange).toBeGreaterThanOrEqual(2);
    expect(journal).toBe(exchange);
    expect(clock).toBeGreaterThan(10);
  }
  expect(fixture.broken).toEqual([]);
});

/** Body of a module that refuses the first order of each start, as the exchange of docs/compose.md does in its maintenance. */
const REFUSING_BODY = `rebind(PARTS.exchange).wrap((exchange) => {
    let sink: ExchangeSink;
    let isFirst = true;
    return passOn(exchange, {
      attach: (engine) => void (sink = engine),
      submit(order, seq) {
        if (!isFirst) return exchange.submit(order, seq);
        isFirst = false;
        sink.refused(order.id, 'MAINTENANCE');
      },
    });
  });`;

test('a wrapper of the exchange refuses an order through the sink of attach, and the bot continues, also after a restart', async () => {
  writeModule('refusing', REFUSING_BODY);
  for (const refusals of [1, 2]) {
    const opened = await fixture.open(configWith(['refusing']), [AlternatingTrader]);
    opened.bot.start();
    await until(() => opened.bot.fills.length >= 1, 60_000, `a fill of start ${refusals}`).catch(fixture.failWithLog);
    await stopAndClose(opened);
    expect(fixture.lines.filter((line) => line.includes('MAINTENANCE'))).toHaveLength(refusals);
  }
  expect(fixture.lines.join('')).not.toContain('threw');
  expect(fixture.broken).toEqual([]);
});

test('a rule of a module denies orders, and a start with changed code of the module is rejected', async () => {
  writeModule('rule', ruleBody('null'));
  const firstBot = await fixture.open(configWith(['rule']), [AlternatingTrader]);
  firstBot.bot.start();
  await until(() => firstBot.bot.fills.length >= 2, 60_000, 'two fills').catch(fixture.failWithLog);
  await stopAndClose(firstBot);
  writeModule('rule', ruleBody("'not today'"));
  const error = await fixture.open(configWith(['rule']), [AlternatingTrader]).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain('the code of the module ./modules/rule.ts has changed');
  const secondBot = await fixture.open(configWith(['rule']), [AlternatingTrader], { acceptChanges: true });
  secondBot.bot.start();
  await until(() => fixture.lines.join('').includes('OWN_RULE'), 60_000, 'a denied order').catch(fixture.failWithLog);
  expect(secondBot.bot.fills).toHaveLength(0);
  await stopAndClose(secondBot);
});

test('a notifier of a module becomes a notifier of the bot', async () => {
  writeModule(
    'notifier',
    'rebind(PARTS.notifier).to(({ plan }) => ({ name: `notifier of ${plan.name}`, send: (_, done) => (queueMicrotask(() => done(null)), () => {}) }));',
  );
  const opened = await fixture.open(configWith(['notifier'], 'name: mine\n'), [AlternatingTrader]);
  expect(opened.notifiers.map(({ name }) => name)).toEqual(['notifier of mine']);
  await stopAndClose(opened);
});

test.each([
  ['paper', 'fees', 'to(() => null)', 'expected fees as the bot has it'],
  ['paper', 'risk', 'wrap((risk) => risk)', 'expected risk as the bot has it'],
  ['paper', 'journal', 'to(() => null as never)', 'expected a wrapper of journal'],
  ['live', 'journal', 'wrap((journal) => journal)', 'expected journal as the bot has it'],
  ['live', 'clock', 'wrap((clock) => clock)', 'expected clock as the bot has it'],
] as const)('with mode %s a module that rebinds %s is rejected with its line', async (mode, part, binding, message) => {
  writeModule('own', `rebind(PARTS.${part}).${binding};`);
  const modulesLine = CONFIG.split('\n').length + 2;
  await expect(fixture.open({ ...configWith(['own']), mode }, [AlternatingTrader])).rejects.toThrow(
    new RegExp(`bot\\.yaml:${modulesLine} modules\\.0: the module own: ${message}`),
  );
  expect(fixture.lines).toEqual([]);
});
