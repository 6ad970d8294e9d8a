// What a trial is made of, of a single run as of a set of a sweep: its inputs by name, the market data it saw, and where it is noted down.

import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { formatTime } from '../../model/time.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { SET_FIGURES } from '../../report/sweep/figures/setFigures.ts';
import { sha256 } from '../../adapters/runtime/sha256.ts';
import type { IdentityPart } from './identity.ts';
import { appendRun } from './ledger.ts';
import { FIXED } from './trials.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import { locate } from '../../definition/text/paths.ts';
import type { RequestedRun } from '../../definition/request.ts';
import type { ResolvedRun } from '../../definition/resolve.ts';
import { DEFAULTS } from '../../definition/load/withDefaults.ts';
import { definitionValueAt } from '../../definition/text/source.ts';
import { paramPrefixes } from './paramKeys.ts';

/** Returns the folder of the ledger: beside the catalog that the definition names, or would be in where the bars lie elsewhere. */
export function ledgerFolderOf({ source, bars }: Pick<RequestedRun, 'source' | 'bars'>): string {
  if (bars !== null) return join(dirname(resolve(DEFAULTS.catalog)), 'ledger');
  const named = definitionValueAt(source.data, ['catalog']);
  const catalog = locate(source, ['catalog'], typeof named === 'string' ? named : DEFAULTS.catalog, {
    what: 'a catalog folder',
    kind: 'folder',
    remedy: '',
  });
  return join(dirname(resolve(catalog)), 'ledger');
}

/** Returns the instruments and intervals that the strategies see. Finer bars inside them, in which orders fill, are left out. */
export function seenBars({ feeds }: RunPlan): readonly string[] {
  const seen = feeds.filter(({ isHidden }) => isHidden !== true).map(({ bars }) => `${bars.instrument.id} ${bars.interval}`);
  return [...new Set(seen)];
}

/**
 * Returns every input of a run by name, without the parameters in `swept`. What only says where things lie, or how a run is called, is left
 * out: it decides nothing.
 */
export function runParts({ plan, text, contracts }: ResolvedRun, swept: readonly string[] = []): readonly IdentityPart[] {
  const settled: unknown = parse(text);
  const decisive = Object.entries(settled !== null && typeof settled === 'object' ? settled : {}).filter(
    ([key]) => !['name', 'strategy', 'params', 'catalog'].includes(key),
  );
  const prefixes = paramPrefixes(plan.strategies);
  const all = plan.strategies.flatMap(({ record }, at) =>
    Object.entries(record.params).map(([name, value]) => [`${prefixes[at]}${name}`, value] as const),
  );
  const fixed = all.filter(([name]) => !swept.includes(name));
  return [
    { name: 'the definition', value: sha256(JSON.stringify(decisive)) },
    ...fixed.map(([name, value]) => ({ name: `${FIXED}${name}`, value: String(value) })),
    ...plan.strategies.map(({ record }) => ({ name: record.file, value: record.hash })),
    ...(plan.strategies.length > 1 ? [{ name: 'shares', value: plan.strategies.map(({ share }) => share).join(' ') }] : []),
    ...(plan.models?.records ?? []).map(({ file, hash }) => ({ name: file, value: hash })),
    ...plan.feeds.map(({ name, bars, quality }) => ({
      name: `${name}: ${bars.instrument.id} ${bars.interval}`,
      value: quality.manifestHash,
    })),
    ...(contracts?.inputs ?? []).map(({ name, sha256: value }) => ({ name, value })),
  ];
}

/** Notes a single run down as a trial. Throws the system's error where the ledger cannot be written. */
export function noteRun(folder: string, family: string | null, resolved: ResolvedRun, { metrics, trades }: Summary): void {
  const { plan } = resolved;
  const figures: Readonly<Record<string, unknown>> = { ...trades, ...metrics, days: metrics.dailyReturns.length };
  appendRun(folder, {
    kind: 'run',
    format: 'isobar ledger 1',
    name: plan.name,
    strategy: plan.strategies.map(({ record }) => record.name).join(' + '),
    ...(family === null ? {} : { family }),
    bars: seenBars(plan),
    parts: runParts(resolved),
    figures: Object.fromEntries(SET_FIGURES.map((name) => [name, typeof figures[name] === 'number' ? figures[name] : null])),
    startedAt: formatTime(nowMs()),
  });
}
