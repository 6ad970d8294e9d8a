// Modules in a live bot: which take effect, across a restart as well, and which are refused before the exchange is asked anything.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
beforeEach(async () => {
  fixture = await LiveFixture.open(60);
  mkdirSync(join(fixture.folder, 'modules'));
});
afterEach(async () => fixture.close());

/** In at one bar, out at the next. */
class Flip extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const FLIP = `strategy: flip.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;

function write(name: string, body: string): void {
  const head = "import { riskRule } from 'isobar';\nimport { composeModule, orderRuleOf, PARTS, passOn } from 'isobar/compose';\n";
  writeFileSync(
    join(fixture.folder, 'modules', `${name}.ts`),
    `${head}export default composeModule('${name}', ({ rebind }) => {\n${body}\n});\n`,
  );
}
const config = (names: readonly string[], more = '') =>
  fixture.config(`${FLIP}${more}modules: [${names.map((name) => `./modules/${name}.ts`).join(', ')}]\n`);

const RULE = (answer: string) =>
  `rebind(PARTS.rules).to(() => [orderRuleOf(riskRule({ code: 'OWN_RULE', check: () => ${answer}, reductionsToo: true }))]);`;

/** What the wrappers of a module have seen, by the name of the part. */
const seen = (): Record<string, number> => (Reflect.get(globalThis, 'isobarSeen') ?? {}) as Record<string, number>;

const PORTS = `const seen = ((globalThis as { isobarSeen?: Record<string, number> }).isobarSeen = { clock: 0, exchange: 0, journal: 0 } as Record<string, number>);
  rebind(PARTS.clock).wrap((clock) => passOn(clock, { get nowMs() { seen.clock++; return clock.nowMs; } }));
  rebind(PARTS.exchange).wrap((exchange) => passOn(exchange, { submit(order, seq) { seen.exchange++; exchange.submit(order, seq); } }));
  rebind(PARTS.journal).wrap((journal) => passOn(journal, { submitted(order) { seen.journal++; return journal.submitted(order); } }));`;

const why = (error: unknown): never => {
  throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
};

test('on a paper exchange wrappers of clock, exchange and journal stand before what the bot has, after a restart too', async () => {
  write('ports', PORTS);
  for (const lifetime of ['first', 'second']) {
    const opened = await fixture.open(config(['ports']), [Flip]);
    opened.bot.start();
    await until(() => opened.bot.fills.length >= 2, 60_000, `two fills of the ${lifetime} start`).catch(why);
    await stopped(opened);
    const { clock = 0, exchange = 0, journal = 0 } = seen();
    expect(exchange).toBeGreaterThanOrEqual(2);
    expect(journal).toBe(exchange);
    expect(clock).toBeGreaterThan(10);
  }
  expect(fixture.broken).toEqual([]);
});

test('rules of a module are asked after the built-in ones, and a start with other code of it says so', async () => {
  write('rule', RULE('null'));
  const first = await fixture.open(config(['rule']), [Flip]);
  first.bot.start();
  await until(() => first.bot.fills.length >= 2, 60_000, 'two fills').catch(why);
  await stopped(first);
  write('rule', RULE("'not today'"));
  const error = await fixture.open(config(['rule']), [Flip]).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain('the code of the module ./modules/rule.ts has changed');
  const second = await fixture.open(config(['rule']), [Flip], { acceptChanges: true });
  second.bot.start();
  await until(() => fixture.lines.join('').includes('OWN_RULE'), 60_000, 'a denied order').catch(why);
  expect(second.bot.fills).toHaveLength(0);
  await stopped(second);
});

test('notifiers of modules are handed to the sender of alerts', async () => {
  write('told', "rebind(PARTS.notifier).to(({ plan }) => ({ name: `told ${plan.name}`, send: (_, done) => (queueMicrotask(() => done(null)), () => {}) }));"); // prettier-ignore
  const opened = await fixture.open(config(['told'], 'name: mine\n'), [Flip]);
  expect(opened.notifiers.map(({ name }) => name)).toEqual(['told mine']);
  await stopped(opened);
});

test.each([
  ['paper', 'fees', 'to(() => null)', 'expected fees as the bot has it'],
  ['paper', 'risk', 'wrap((risk) => risk)', 'expected risk as the bot has it'],
  ['paper', 'journal', 'to(() => null as never)', 'expected a wrapper of journal'],
  ['live', 'journal', 'wrap((journal) => journal)', 'expected journal as the bot has it'],
  ['live', 'clock', 'wrap((clock) => clock)', 'expected clock as the bot has it'],
] as const)('with mode %s a module that rebinds %s is refused with its line', async (mode, part, how, message) => {
  write('own', `rebind(PARTS.${part}).${how};`);
  const lines = FLIP.split('\n').length + 2;
  await expect(fixture.open({ ...config(['own']), mode }, [Flip])).rejects.toThrow(
    new RegExp(`bot\\.yaml:${lines} modules\\.0: the module own: ${message}`),
  );
  expect(fixture.lines).toEqual([]);
});
