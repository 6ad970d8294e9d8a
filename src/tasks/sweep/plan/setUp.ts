// Prepares a sweep: resolves its definition, checks the grid against the strategy and hashes every input.

import { parse } from 'yaml';
import { largestOf } from '../../../base/number/extremes.ts';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../../base/errors.ts';
import { nearestName } from '../../../base/number/nearestName.ts';
import { formatTime } from '../../../model/time.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import { gridSize, parseGrid, setsOf, type Axis, type ParamSet } from '../../trials/paramGrid.ts';
import { identityOf, type SweepIdentity, type IdentityPart } from '../../trials/sweepIdentity.ts';
import type { SweepHeader } from '../../trials/ledgerLine.ts';
import type { SharedSweep } from '../queue/queueWire.ts';
import { givesValue } from '../../../definition/text/overrides.ts';
import { openRequest, type RunRequest } from '../../../definition/request.ts';
import { resolveRun, type ResolvedRun } from '../../../definition/resolve.ts';
import { paramSpecs, settingOf } from '../../trials/paramKeys.ts';
import { ledgerFolderOf, identityParts, visibleFeedsOf } from '../../trials/identityParts.ts';
import { definitionValueAt, type DefinitionSource } from '../../../definition/text/source.ts';
import { versions } from '../../../adapters/runtime/version.ts';

/** The options that determine the results of a sweep. */
export interface SweepRequest {
  readonly definition: string;
  readonly settings: readonly string[];
  readonly grid: readonly string[];
  /** Number of sets to draw; null: the whole grid. */
  readonly random: number | null;
  /** Family that separates the trials from other work on the same data; null: no family. */
  readonly family: string | null;
}

/** A resolved sweep. */
export interface SweepSetup {
  readonly request: SweepRequest;
  /** A single run of the definition, as threads load it. */
  readonly run: RunRequest;
  readonly resolved: ResolvedRun;
  readonly axes: readonly Axis[];
  readonly sets: readonly ParamSet[];
  readonly gridSize: number;
  readonly identity: SweepIdentity;
  readonly header: SweepHeader;
  /** Number of bars of the finest feed. */
  readonly rows: number;
  /** Folder of the trial ledger: beside the catalog. */
  readonly ledgerFolder: string;
  /** The value under `strategy` in the definition. */
  readonly strategyEntry: unknown;
}

/** Prepares a sweep. Throws ConfigError for an invalid definition or grid, and StrategyError for a strategy that throws when it is loaded. */
export async function setUpSweep(request: SweepRequest, ledgerFolder: string | null): Promise<SweepSetup> {
  const run: RunRequest = { kind: 'file', file: request.definition, settings: request.settings };
  const { source, bars } = await openRequest(run);
  const resolved = await resolveRun(source, { bars });
  return setupOf(request, { run, source, resolved }, ledgerFolder ?? ledgerFolderOf({ source, bars }));
}

/** Prepares a sweep that another machine shares, with the strategy and the bars of this machine. It has no trial ledger. */
export async function setUpSharedSweep({ name, definition, grid, random }: SharedSweep, catalog: string | null): Promise<SweepSetup> {
  const parsed: unknown = parse(definition);
  const values = { ...(typeof parsed === 'object' ? parsed : {}), ...(catalog === null ? {} : { catalog }) };
  const run: RunRequest = { kind: 'options', values, data: null, called: `the sweep ${name}`, places: {}, inCode: [], settings: [] };
  const { source, bars } = await openRequest(run);
  const resolved = await resolveRun(source, { bars });
  return setupOf({ definition: name, settings: [], grid, random, family: null }, { run, source, resolved }, '');
}

/** The run whose parameters a sweep varies. */
interface BaseRun {
  readonly run: RunRequest;
  readonly source: DefinitionSource;
  readonly resolved: ResolvedRun;
}

/** Returns the sets of a sweep with everything that running them needs. Throws ConfigError for a grid that does not fit the strategy. */
function setupOf(request: SweepRequest, { run, source, resolved }: BaseRun, ledgerFolder: string): SweepSetup {
  const { plan } = resolved;
  const axes = parseGrid(request.grid, paramSpecs(plan.strategies));
  const strategyEntry = definitionValueAt(source.data, ['strategy']);
  checkNotSet(request.settings, axes, (name) => settingOf(plan.strategies, strategyEntry, name));
  const sets = setsOf(axes, request.random, plan.seed);
  const identity = identityOf(sweepParts(resolved, axes, request.random));
  return {
    request,
    run,
    resolved,
    axes,
    sets,
    gridSize: gridSize(axes),
    identity,
    header: headerOf(request, resolved, identity, { axes, sets: sets.length }),
    rows: largestOf(plan.feeds.map((feed) => feed.bars.length)),
    ledgerFolder,
    strategyEntry,
  };
}

/** Throws ConfigError for a setting that the grid would override silently. */
function checkNotSet(settings: readonly string[], axes: readonly Axis[], settingOfAxis: (name: string) => string): void {
  for (const { name } of axes) {
    const key = settingOfAxis(name);
    if (!settings.some((setting) => givesValue(setting, key))) continue;
    throw new ConfigError(`--set ${key}: --grid ${name} also sets this parameter`, 'remove one of the two options');
  }
}

/** Version of the figures. Change it when a figure is computed differently under the same name, so that older ledgers are not continued. */
const FIGURES_VERSION = 'drawdown by bar';

/** Returns every input of a sweep by name: the inputs of a run, and the selection of sets. */
function sweepParts(resolved: ResolvedRun, axes: readonly Axis[], random: number | null): readonly IdentityPart[] {
  return [
    ...identityParts(
      resolved,
      axes.map(({ name }) => name),
    ),
    { name: '--grid', value: axes.map(axisText).join(' ') },
    { name: '--random', value: String(random ?? 'all') },
    { name: 'isobar', value: versions()['isobar'] ?? '' },
    { name: 'figures', value: FIGURES_VERSION },
  ];
}

/** Returns an axis in the form of `--grid`. */
function axisText({ name, values }: Axis): string {
  return `${name}=${values.join(',')}`;
}

/** Returns the first line of the ledger. */
function headerOf(
  request: SweepRequest,
  { plan }: ResolvedRun,
  identity: SweepIdentity,
  { axes, sets }: { readonly axes: readonly Axis[]; readonly sets: number },
): SweepHeader {
  return {
    kind: 'sweep',
    format: 'isobar ledger 1',
    id: identity.id,
    name: plan.name,
    definition: request.definition,
    strategy: plan.strategies.map(({ record }) => record.name).join(' + '),
    ...(request.family === null ? {} : { family: request.family }),
    bars: visibleFeedsOf(plan),
    parts: identity.parts,
    grid: axes,
    random: request.random,
    sets,
    startedAt: formatTime(nowMs()),
  };
}

/** Returns the figure for the ranking. Throws ConfigError for an unknown figure, naming the nearest one. */
export function rankingFigure(name: string): string {
  const figures: readonly string[] = SET_FIGURES;
  if (figures.includes(name)) return name;
  const nearest = nearestName(name, figures);
  throw new ConfigError(
    `--by ${name}: no such figure${nearest === null ? '' : `, the nearest is ${nearest}`}`,
    `the figures are ${figures.join(', ')}`,
  );
}
