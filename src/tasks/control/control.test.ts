// Tests what a bot reports: alerts for changes, metrics, a row for each halt cause, and scopes and requests as text.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { lostOrder, ScriptedBot } from '../../../test/fixtures/scriptedBot.ts';
import { HALT_CAUSES } from '../../risk/live/haltCauses.ts';
import { alertsBetween } from '../bot/process/alertsBetween.ts';
import { CAUSES, clearsItself } from './haltCauses.ts';
import { metricsText } from './metrics.ts';
import { readRequest } from './botRequest.ts';
import { scopeName, scopesOf, parseScope } from './scopes.ts';

it('each change of a bot is alerted exactly once', () => {
  const bot = new ScriptedBot();
  const firstView = bot.view();
  expect(alertsBetween(null, firstView).map(({ code }) => code)).toEqual(['STARTED']);
  expect(alertsBetween(firstView, firstView)).toEqual([]);
  bot.board.raise({ kind: 'symbol', instrument: 0 }, 'HALT_NEW', 'GAP', 'rows are missing', bot.timeMs);
  bot.board.raise({ kind: 'account' }, 'HALT_NEW', 'MISMATCH', '0.5 BTC', bot.timeMs);
  bot.unknown = [{ ...lostOrder(), needsPerson: true }];
  const secondView = bot.view();
  expect(alertsBetween(firstView, secondView)).toMatchObject([
    { level: 'alarm', code: 'MISMATCH', scope: 'account', message: expect.stringContaining('What to do: find the transfer') },
    { level: 'warn', code: 'GAP', scope: 'symbol:spot:BTCUSDT' },
    { level: 'alarm', code: 'NEEDS_PERSON' },
  ]);
  expect(alertsBetween(secondView, secondView)).toEqual([]);
  bot.board.clear({ kind: 'account' }, 'MISMATCH', 'ann', bot.timeMs);
  bot.unknown = [];
  bot.killed = { sinceMs: 1, flatten: true, who: 'ann', phase: 'done', message: 'x', residuals: ['0.1 BTC left'] };
  expect(alertsBetween(secondView, bot.view())).toMatchObject([
    { level: 'info', code: 'MISMATCH_OVER' },
    { level: 'alarm', code: 'KILL_UNRESOLVED', message: expect.stringContaining('0.1 BTC left') },
  ]);
});

it('the metrics include every metric that config/alerts.yml uses', () => {
  const bot = new ScriptedBot();
  bot.unknown = [lostOrder()];
  bot.board.raise({ kind: 'account' }, 'KILLED', 'KILLED', 'a test', 1);
  bot.killed = { sinceMs: 1, flatten: true, who: 'ann', phase: 'done', message: 'x', residuals: [] };
  const text = metricsText(bot.view());
  const { groups } = parse(readFileSync(new URL('../../../config/alerts.yml', import.meta.url), 'utf8')) as {
    groups: readonly { rules: readonly { alert: string; expr: string }[] }[];
  };
  const usedNames = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/isobar_\w+/g) ?? []));
  expect(usedNames.length).toBeGreaterThan(15);
  for (const name of usedNames) expect(text, name).toMatch(new RegExp(`^${name}[ {]`, 'm'));
});

it('every halt cause has its meaning and a remedy, and an unknown cause does not clear by itself', () => {
  for (const { code, means, todo } of CAUSES) {
    expect(means.length, code).toBeGreaterThan(10);
    expect(todo, code).not.toBe('look at `isobar logs`, then resume');
  }
  expect(CAUSES.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.keys(HALT_CAUSES)));
  expect([clearsItself('GAP'), clearsItself('MISMATCH'), clearsItself('NEVER_HEARD_OF')]).toEqual([true, false, false]);
});

it('the name of a scope identifies the scope', () => {
  const { scopeNames: botNames } = new ScriptedBot();
  for (const scope of [
    { kind: 'account' },
    { kind: 'market', market: 'spot' },
    { kind: 'symbol', instrument: 1 },
    { kind: 'strategy', strategy: 1 },
  ] as const) {
    expect(parseScope(scopeName(scope, botNames), botNames)).toEqual(scope);
  }
  for (const name of scopesOf(botNames)) expect(scopeName(parseScope(name, botNames)!, botNames)).toBe(name);
  for (const name of ['', 'market:moon', 'symbol:spot:DOGE', 'strategy:', 'toString']) expect(parseScope(name, botNames)).toBeNull();
});

it('a control request with a missing or invalid field is rejected', () => {
  expect(readRequest({ op: 'halt', scope: 'account', state: 'HALT_NEW', why: 'x' })).toEqual({
    problem: 'why: expected a reason of three letters or more',
  });
  expect(readRequest({ op: 'halt', scope: 'account', state: 'HALT_NEW', why: 'because' })).toHaveProperty('request');
  for (const invalidRequest of [
    null,
    1,
    {},
    { op: 'kill' },
    { op: 'halt', scope: 'account', state: 'KILLED', why: 'because' },
    { op: 'tighten', key: 'x', value: '1', why: 'because' },
  ]) {
    expect(readRequest(invalidRequest)).toHaveProperty('problem');
  }
});
