// Tests the operator's actions on a live bot: the reply comes once the action is durable, also over the control socket.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sendAct } from '../../src/tasks/control/controlClient.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { Strategy } from '../../src/index.ts';
import { openControl } from '../../src/tasks/bot/process/controlServer.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Places the same limit at every bar, even if the last one is still open. */
class SameLimitEveryBar extends Strategy {
  override onBar() {
    this.buy({ base: '0.01' }, { limit: this.bars.close.value * 0.5, tag: 'rest' });
  }
}
/** Keys of the config. The exchange is added by the fixture. */
const CONFIG = `strategy: sameLimit.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
/** Returns the text of all journal files. */
const journalText = ({ bot }: OpenedBot): string => {
  const folder = join(bot.deps.config.data, 'journal');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
};

test('the control socket replies to halt, resume and kill once they are durable', async () => {
  fixture = await LiveFixture.open(20);
  const opened = await fixture.open(fixture.config(CONFIG), [SameLimitEveryBar]);
  const { data } = opened.bot.deps.config;
  const server = await openControl(data, new LiveControl({ ...opened, loopDelayP99Ms: () => null }));
  expect(await sendAct(data, { op: 'halt', scope: 'account', state: 'HALT_NEW', why: 'strange prices' })).toMatchObject({ done: true });
  expect(journalText(opened)).toMatch(/"k":"HALT","scope":"account","state":"HALT_NEW","code":"OPERATOR".*strange prices/);
  expect(await sendAct(data, { op: 'resume', scope: 'account', code: null, why: 'looked at them' })).toMatchObject({ done: true });
  expect(journalText(opened)).toMatch(/"k":"RESUME","scope":"account","state":"HALT_NEW","code":"OPERATOR".*looked at them/);
  expect(await sendAct(data, { op: 'kill', flatten: false, why: 'enough' })).toMatchObject({ done: true });
  expect(JSON.parse(readFileSync(join(data, 'KILLED'), 'utf8'))).toMatchObject({ why: 'enough' });
  await server.close();
  await stopAndClose(opened);
});

test('tighten journals a tighter limit that takes effect at once, and rejects a wider one', async () => {
  fixture = await LiveFixture.open(20);
  const opened = await fixture.open(fixture.config(`${CONFIG}risk: { maxOrderNotional: '2000' }\n`), [SameLimitEveryBar]);
  const { data } = opened.bot.deps.config;
  const server = await openControl(data, new LiveControl({ ...opened, loopDelayP99Ms: () => null }));
  const tighten = (value: string) => sendAct(data, { op: 'tighten', key: 'maxOrderNotional', value, why: 'thin market' });
  expect(await tighten('1000')).toEqual({ done: true, message: expect.stringContaining('maxOrderNotional is 1000') });
  expect(opened.bot.deps.engine.risk.limits.maxOrderNotional).toBe('1000');
  expect(journalText(opened)).toMatch(/"k":"HUMAN".*maxOrderNotional=1000.*thin market/);
  expect(await tighten('1500')).toEqual({ done: false, message: expect.stringContaining('expected at most 1000, got 1500') });
  expect(opened.bot.deps.engine.risk.limits.maxOrderNotional).toBe('1000');
  await server.close();
  await stopAndClose(opened);
});

test('the reply to an action waits for the disk, and reports a journal that cannot be written', async () => {
  fixture = await LiveFixture.open(20);
  const opened = await fixture.open(fixture.config(CONFIG), [SameLimitEveryBar]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  const { halts } = opened.bot.deps.engine.risk;
  const disk: { resolve: () => void; reject: (error: Error) => void } = { resolve: () => {}, reject: () => {} };
  opened.bot.waitUntilDurable = () => new Promise<void>((resolve, reject) => Object.assign(disk, { resolve, reject }));
  let hasReplied = false;
  const halting = control.halt({ scope: 'account', state: 'HALT_NEW', why: 'a test' }, 'me').finally(() => (hasReplied = true));
  expect(halts.holds({ kind: 'account' }, 'OPERATOR')).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(hasReplied).toBe(false);
  disk.resolve();
  expect(await halting).toMatchObject({ done: true });
  const resuming = control.resume({ scope: 'account', code: null, why: 'a test' }, 'me');
  disk.reject(new ConfigError('the journal cannot be written: EIO', 'look after the disk'));
  expect(await resuming).toEqual({
    done: false,
    message: expect.stringContaining('it will not outlive this process: the journal cannot be written: EIO'),
  });
  expect(existsSync(join(opened.bot.deps.config.data, 'KILLED'))).toBe(false);
  await stopAndClose(opened);
});

test('an order in a decision slot whose earlier order has not ended is denied with this reason', async () => {
  fixture = await LiveFixture.open(30);
  const opened = await fixture.open(fixture.config(CONFIG), [SameLimitEveryBar]);
  opened.bot.start();
  await until(() => fixture.lines.some((line) => line.includes('SLOT_BUSY') || line.includes('denied')), 60_000, 'a refusal');
  const denials = fixture.lines.filter((line) => line.includes('denied'));
  expect(denials.every((line) => line.includes('denied: the earlier order of this decision slot has not ended yet'))).toBe(true);
  await stopAndClose(opened);
});
