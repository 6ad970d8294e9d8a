// The inputs of a trial, for a single run or a set of a sweep: its parts by name, its market data, and its ledger.

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

/**
 * Returns the folder of the trial ledger: beside the catalog of the definition, or beside the default catalog if the bars come from
 * elsewhere.
 */
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

/** Returns the instruments and intervals that strategies see, without execution-only feeds. */
export function seenBars({ feeds }: RunPlan): readonly string[] {
  const seen = feeds.filter(({ isHidden }) => isHidden !== true).map(({ bars }) => `${bars.instrument.id} ${bars.interval}`);
  return [...new Set(seen)];
}

/**
 * Returns every input of a run by name, without the parameters in `swept`. Paths and the name of the run are left out, because they do not
 * influence the result.
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

/** Adds a single run to the ledger as a trial. Throws the system's error if the ledger cannot be written. */
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
