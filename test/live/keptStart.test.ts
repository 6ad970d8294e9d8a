// Tests starts that must not begin at kept state, and what a replay says of timers that an outage has skipped.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { replayJournal, type ReplayOptions } from '../../src/tasks/bot/decisions/replayJournal.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { driveLifetime, type LifetimeResult, seqOfInstant } from '../fixtures/killedLifetime.ts';

/** Keeps its state, and loses the fees of each round trip. */
class KeepsAndLoses extends Strategy {
  state = this.keep({ bars: 0 });
  override onBar() {
    this.state.bars++;
    if (this.state.bars % 2 === 1) this.buy({ base: '0.1' }, { tag: `buy ${this.state.bars}` });
    else this.exit();
  }
}

test('losses in a row count over a restart, also if every strategy keeps its state', async () => {
  const options = { strategies: [KeepsAndLoses], bars: 18, seed: 3, more: { risk: { maxAuditAgeMs: 1_000_000, maxLossStreak: 3 } } };
  const unkilled = await driveLifetime(options);
  const halt = unkilled.records.findIndex((record) => record.k === 'HALT' && record.code === 'LOSS_STREAK');
  const instantsBefore = unkilled.records.slice(0, halt).filter(({ k }) => k === 'INSTANT').length;
  expect(halt).toBeGreaterThan(0);
  const killed = await driveLifetime({ ...options, kills: [seqOfInstant(unkilled, instantsBefore - 2)] });
  expect(killed.starts).toBe(2);
  expect(killed.placed).toEqual(unkilled.placed);
  expect(killed.lines.join('')).toContain('(risk.maxLossStreak also counts what happened before it): the whole journal is replayed');
}, 600_000);

/** Decides by a list of the kept state that it holds in another field. */
class HoldsPartOfState extends Strategy {
  closes = this.keep({ closes: [] as number[] }).closes;
  override onBar() {
    this.closes.push(this.bars.close.value);
    if (this.closes.length % 3 === 0) this.buy({ base: '0.1' }, { tag: `n ${this.closes.length}` });
  }
}

test('a field that holds a part of the kept state is as it would be without a restart', async () => {
  const options = { strategies: [HoldsPartOfState], bars: 8 };
  const unkilled = await driveLifetime(options);
  const killed = await driveLifetime({ ...options, kills: [seqOfInstant(unkilled, 4)] });
  expect(killed.placed).toEqual(unkilled.placed);
  expect((killed.instances[0] as HoldsPartOfState).closes).toEqual((unkilled.instances[0] as HoldsPartOfState).closes);
}, 600_000);

/** Draws random numbers in its constructor and at each bar. */
class DrawsEarly extends Strategy {
  state = this.keep({ bars: 0 });
  first = [this.random(), this.random(), this.random()];
  override onBar() {
    this.state.bars++;
    this.buy({ base: (0.01 + Math.floor(this.random() * 50) / 1000).toFixed(3) }, { tag: `n ${this.state.bars}` });
  }
}

test('random numbers that the constructor draws are not drawn again at a start from kept state', async () => {
  const options = { strategies: [DrawsEarly], bars: 8 };
  const unkilled = await driveLifetime(options);
  const killed = await driveLifetime({ ...options, kills: [seqOfInstant(unkilled, 4)] });
  expect(killed.placed).toEqual(unkilled.placed);
  expect(killed.lines.join('')).toContain('strategies begin with their kept state');
}, 600_000);

/** Has a timer three minutes after each bar. */
class CallsBetweenBars extends Strategy {
  calls = 0;
  timer = this.cron('3 * * * *', () => void this.calls++);
}

test('a timer that fell due while the bot was down makes a replay differ from a bot that never stopped', async () => {
  let bot: OpenedBot['bot'] | null = null;
  const options = {
    strategies: [CallsBetweenBars],
    bars: 3,
    graceMs: 300_000,
    settled: (opened: OpenedBot) => void (bot = opened.bot),
  };
  const replayOf = ({ records }: LifetimeResult) => {
    const { config, engine } = bot!.deps;
    const load: NonNullable<ReplayOptions['load']> = (entry, source) =>
      Promise.resolve({
        plan: strategyPlanOf(entry, { strategy: CallsBetweenBars, name: 'Test', hash: String(CallsBetweenBars) }, source),
        inputs: [],
        folder: '.',
      });
    return replayJournal(records, config, { instruments: engine.instruments, load });
  };
  const unkilled = await driveLifetime(options);
  expect(await replayOf(unkilled)).toMatchObject({ equalToUnstopped: true, interruption: null });
  const betweenBars = unkilled.records.find((record) => record.k === 'INSTANT' && record.decided && record.bars.length === 0)!;
  const killed = await driveLifetime({ ...options, kills: [betweenBars.seq], downMinutes: 12 });
  expect((killed.instances[0] as CallsBetweenBars).calls).toBe((unkilled.instances[0] as CallsBetweenBars).calls - 1);
  expect(await replayOf(killed)).toMatchObject({
    difference: null,
    missedBars: 0,
    equalToUnstopped: false,
    interruption: 'timers fell due while the bot was down',
  });
}, 600_000);
