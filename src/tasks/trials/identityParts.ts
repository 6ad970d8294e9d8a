// Identifies a trial (a single run or a set of a sweep) by the hashes and values of its inputs. Writes a single run to the trial ledger.

import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import type { ProofKey, RunProof } from '../../model/run/proof.ts';
import { formatTime } from '../../model/time.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { SET_FIGURES } from '../../report/sweep/figures/setFigures.ts';
import { sha256 } from '../../adapters/runtime/sha256.ts';
import type { IdentityPart } from './sweepIdentity.ts';
import type { RunLine } from './ledgerLine.ts';
import { appendLine } from './trialLedger.ts';
import { FIXED_PARAM_PREFIX } from './trials.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import { locate } from '../../definition/text/paths.ts';
import type { RequestedRun } from '../../definition/request.ts';
import type { ResolvedRun } from '../../definition/resolve.ts';
import { DEFINITION_DEFAULTS } from '../../definition/load/withDefaults.ts';
import { definitionValueAt } from '../../definition/text/source.ts';
import { paramPrefixes } from './paramKeys.ts';

/**
 * Returns the folder of the trial ledger: beside the catalog of the definition, or beside the default catalog if the bars come from
 * elsewhere.
 */
export function ledgerFolderOf({ source, bars }: Pick<RequestedRun, 'source' | 'bars'>): string {
  if (bars !== null) return join(dirname(resolve(DEFINITION_DEFAULTS.catalog)), 'ledger');
  const namedCatalog = definitionValueAt(source.data, ['catalog']);
  const catalog = locate(source, ['catalog'], typeof namedCatalog === 'string' ? namedCatalog : DEFINITION_DEFAULTS.catalog, {
    description: 'a catalog folder',
    kind: 'folder',
    remedy: '',
  });
  return join(dirname(resolve(catalog)), 'ledger');
}

/** Returns the instruments and intervals that strategies see, without execution-only feeds. */
export function visibleFeedsOf({ feeds }: RunPlan): readonly string[] {
  const visible = feeds
    .filter(({ isExecutionOnly }) => isExecutionOnly !== true)
    .map(({ bars }) => `${bars.instrument.id} ${bars.interval}`);
  return [...new Set(visible)];
}

/**
 * Returns every input of a run by name, without the parameters in `sweptNames`. Paths and the name of the run are left out, because they do not
 * influence the result.
 */
export function identityParts(resolved: ResolvedRun, sweptNames: readonly string[] = []): readonly IdentityPart[] {
  const { plan } = resolved;
  const { definition, params, shares, models } = identitySettings(resolved, sweptNames);
  return [
    ...definition,
    ...params,
    ...plan.strategies.map(({ record }) => ({ name: record.file, value: record.hash })),
    ...shares,
    ...models,
    ...dataParts(resolved),
  ];
}

/** Returns the hashes of the bars of all feeds, of external series, and of the marks and funding of contracts. */
function dataParts({ plan, contracts }: Pick<ResolvedRun, 'plan' | 'contracts'>): readonly IdentityPart[] {
  return [
    ...plan.feeds.map(({ name, bars, quality }) => ({
      name: `${name}: ${bars.instrument.id} ${bars.interval}`,
      value: quality.manifestHash,
    })),
    ...(plan.series ?? []).map(({ name, input }) => ({ name: `${name}: series ${input.name}`, value: input.sha256 })),
    ...(contracts?.inputs ?? []).map(({ name, sha256: value }) => ({ name, value })),
  ];
}

/** Returns the hashes of code, data and settings that identify a verdict about the strategies of a run. */
export function proofKeyOf(resolved: ResolvedRun): ProofKey {
  const { definition, params, shares, models } = identitySettings(resolved, []);
  // Files are identified by their content alone, not by their names.
  const settings = [definition, params, shares].flatMap((parts) => parts.map(({ name, value }) => [name, value]));
  return {
    code: strategyCodeHash(resolved.plan.strategies),
    data: combinedHash(dataParts(resolved).map(({ value }) => value)),
    settings: sha256(JSON.stringify([...settings, ...models.map(({ value }) => ['model', value])])),
  };
}

/** Returns the hash of the code of strategies, as in ProofKey. */
export function strategyCodeHash(strategies: RunPlan['strategies']): string {
  return combinedHash(strategies.map(({ record }) => record.hash));
}

/** Returns a single hash unchanged, and for several the hash of their lines. */
const combinedHash = (hashes: readonly string[]): string => (hashes.length === 1 ? hashes[0]! : sha256(hashes.join('\n')));

/** The settings of a run by kind, without its data and the code of its strategies. */
interface IdentitySettings {
  readonly definition: readonly IdentityPart[];
  readonly params: readonly IdentityPart[];
  readonly shares: readonly IdentityPart[];
  readonly models: readonly IdentityPart[];
}

/** Keys of a definition that do not influence the result, or that are parts of their own. */
const SEPARATE_KEYS: ReadonlySet<string> = new Set(['name', 'strategy', 'params', 'catalog']);

/** Returns the settings of a run as parts. Parameters that the sweep varies are left out. */
function identitySettings({ plan, text }: Pick<ResolvedRun, 'plan' | 'text'>, sweptNames: readonly string[]): IdentitySettings {
  const resolvedDefinition: unknown = parse(text);
  const definitionFields = resolvedDefinition !== null && typeof resolvedDefinition === 'object' ? resolvedDefinition : {};
  const resultSettings = Object.entries(definitionFields).filter(([key]) => !SEPARATE_KEYS.has(key));
  const prefixes = paramPrefixes(plan.strategies);
  const params = plan.strategies.flatMap(({ record }, index) =>
    Object.entries(record.params).map(([name, value]) => [`${prefixes[index]}${name}`, value] as const),
  );
  const fixedParams = params.filter(([name]) => !sweptNames.includes(name));
  return {
    definition: [{ name: 'the definition', value: sha256(JSON.stringify(resultSettings)) }],
    params: fixedParams.map(([name, value]) => ({ name: `${FIXED_PARAM_PREFIX}${name}`, value: String(value) })),
    shares: plan.strategies.length > 1 ? [{ name: 'shares', value: plan.strategies.map(({ share }) => share).join(' ') }] : [],
    models: (plan.models?.records ?? []).map(({ file, hash }) => ({ name: file, value: hash })),
  };
}

/** Adds a single run to the ledger as a trial. Throws the system's error if the ledger cannot be written. */
export function appendRunToLedger(folder: string, family: string | null, resolved: ResolvedRun, { metrics, trades, proof }: Summary): void {
  const { plan } = resolved;
  const figures: Readonly<Record<string, unknown>> = { ...trades, ...metrics, days: metrics.dailyReturns.length };
  appendLine(folder, {
    kind: 'run',
    format: 'isobar ledger 1',
    name: plan.name,
    strategy: plan.strategies.map(({ record }) => record.name).join(' + '),
    ...(family === null ? {} : { family }),
    bars: visibleFeedsOf(plan),
    parts: identityParts(resolved),
    figures: Object.fromEntries(SET_FIGURES.map((name) => [name, typeof figures[name] === 'number' ? figures[name] : null])),
    startedAt: formatTime(nowMs()),
    ...(proof === undefined ? {} : { proof: ledgerProof(proof) }),
  });
}

/** Returns the fields of a proof that the ledger stores. The type is that of the field without undefined. */
function ledgerProof({ verdict, from, code, data, settings }: RunProof): NonNullable<RunLine['proof']> {
  return { verdict, from, code, data, settings };
}
