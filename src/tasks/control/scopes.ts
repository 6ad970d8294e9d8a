// Converts scopes of risk states to text and back.

import type { Instrument } from '../../model/instrument.ts';
import { RISK_STATES, type HaltCause, type HaltBoard, type Scope } from '../../risk/live/halts.ts';
import type { ScopeName, ScopeView } from './botView.ts';
import { clearsItself } from './haltCauses.ts';

/** The instruments and strategies that scopes name. */
export interface ScopeNames {
  readonly instruments: readonly Instrument[];
  /** Names of the strategies, in the order of the run. */
  readonly strategies: readonly string[];
}

/** Returns a scope as text: `account`, `market:spot`, `symbol:spot:BTCUSDT` or `strategy:NAME`. */
export function scopeName(scope: Scope, { instruments, strategies }: ScopeNames): ScopeName {
  if (scope.kind === 'market') return `market:${scope.market}`;
  if (scope.kind === 'symbol') return `symbol:${instruments[scope.instrument]?.id ?? scope.instrument}`;
  if (scope.kind === 'strategy') return `strategy:${strategies[scope.strategy] ?? scope.strategy}`;
  return 'account';
}

/** Returns the scope of a text; null if the run has no such scope. */
export function parseScope(name: ScopeName, { instruments, strategies }: ScopeNames): Scope | null {
  if (name === 'account') return { kind: 'account' };
  const [kind = ''] = name.split(':', 1);
  const subject = name.slice(kind.length + 1);
  if (kind === 'market') {
    const market = instruments.find((instrument) => instrument.market === subject)?.market;
    return market === undefined ? null : { kind, market };
  }
  if (kind === 'symbol') {
    const instrument = instruments.findIndex(({ id }) => id === subject);
    return instrument < 0 ? null : { kind, instrument };
  }
  const strategy = kind === 'strategy' ? strategies.indexOf(subject) : -1;
  return strategy < 0 ? null : { kind: 'strategy', strategy };
}

/** Returns the names of all scopes of a run, the account first. */
export function scopesOf({ instruments, strategies }: ScopeNames): readonly ScopeName[] {
  const markets = [...new Set(instruments.map(({ market }) => market))];
  return [
    'account',
    ...markets.map((market) => `market:${market}` as const),
    ...instruments.map(({ id }) => `symbol:${id}` as const),
    ...strategies.map((name) => `strategy:${name}` as const),
  ];
}

/** Returns every scope of the run with its own causes. */
export function scopeViews(board: Pick<HaltBoard, 'causes'>, named: ScopeNames): readonly ScopeView[] {
  const causes = board.causes();
  return scopesOf(named).map((name) => {
    const ownCauses = causes.filter(({ scope }) => scopeName(scope, named) === name);
    return scopeView(name, ownCauses);
  });
}

/** Returns a scope with its causes, most severe first. */
function scopeView(scope: ScopeName, causes: readonly HaltCause[]): ScopeView {
  const severity = ({ state }: HaltCause): number => RISK_STATES.indexOf(state);
  const sortedCauses = causes.toSorted((a, b) => severity(b) - severity(a) || a.sinceMs - b.sinceMs);
  return {
    scope,
    state: sortedCauses[0]?.state ?? 'RUN',
    causes: sortedCauses.map(({ state, code, why, sinceMs }) => ({ state, code, why, sinceMs, clearsItself: clearsItself(code) })),
  };
}
