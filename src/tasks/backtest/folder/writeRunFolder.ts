// Writes the run folder, atomically: all files go into a staging folder, which is then renamed.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { writeArrowColumns } from '../../../adapters/catalog/arrow/arrowWriter.ts';
import { writeError } from '../../../adapters/disk/fileError.ts';
import { shellWord } from '../../../base/text/shellWord.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { formatTime } from '../../../model/time.ts';
import { equityMetadata, equityToWrite } from '../../../report/summary/resultHash.ts';
import { writeRunFiles } from '../../../report/summary/runFiles.ts';
import type { Provenance } from '../../../report/run/document/input.ts';
import { writeReport } from '../../../report/run/report.ts';
import { deferOutcome } from '../../../base/deferOutcome.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import type { Origin } from '../../../definition/request.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import type { FinishedRun } from '../run/executeDefinition.ts';
import { inputFiles, lockFileIn, type InputFile, type LockFile } from './inputFiles.ts';
import { freePath, moveInto, runTimestamp } from '../../../adapters/disk/folders/moveInto.ts';
import { versions } from '../../../adapters/runtime/version.ts';

/** The manifest of a run folder: what ran, over which data, and in which versions. */
export interface Manifest {
  readonly format: 'isobar run 1';
  readonly name: string;
  readonly mode: string;
  readonly writtenAt: string;
  readonly resultHash: string;
  readonly seed: number;
  readonly definition: { readonly file: 'definition.yaml'; readonly sha256: string };
  readonly strategies: readonly {
    readonly name: string;
    readonly file: string;
    readonly sha256: string;
    readonly params: Readonly<Record<string, string | number | boolean>>;
    readonly inputs: readonly string[];
  }[];
  /** Custom slippage, fee and risk models of the user. */
  readonly models: readonly { readonly use: string; readonly file: string; readonly sha256: string; readonly inputs: readonly string[] }[];
  readonly data: readonly {
    readonly feed: string;
    readonly instrument: string;
    readonly interval: string;
    readonly rows: number;
    readonly synthetic: boolean;
    /** Hash of the gap manifest, which contains the hash of the bars. */
    readonly manifestSha256: string;
  }[];
  /** The folder in which the run was started, relative to the run folder. Paths of the run are relative to it. */
  readonly startedIn: string;
  /** Every file that was read, with the hash of its bytes. `isobar verify` compares them. */
  readonly inputs: readonly InputFile[];
  /**
   * The commands that imported the bars, and the parts that were given in code. A run with such parts can only be repeated by that code.
   */
  readonly origin: Origin;
  /** The lock file of the folder in which the run was started; null: none. */
  readonly lockFile: LockFile | null;
  readonly versions: Readonly<Record<string, string>>;
  /** Written only if the run was made without a report. */
  readonly report?: false | undefined;
}

/** What identifies a run. The rest of the manifest says where and from which files it was made. */
type RunIdentity = Omit<Manifest, 'startedIn' | 'inputs'>;

/** Returns the part of the manifest that identifies the run. */
function identityOf({ resolved, record, summary, origin, clock }: FinishedRun): RunIdentity {
  return {
    format: 'isobar run 1',
    name: record.name,
    mode: record.mode,
    writtenAt: formatTime(clock.nowMs),
    resultHash: summary.resultHash,
    seed: record.seed,
    definition: { file: 'definition.yaml', sha256: resolved.hash },
    strategies: record.strategies.map(({ name, file, hash, params }, index) => ({
      name,
      file,
      sha256: hash,
      params,
      inputs: resolved.inputs[index] ?? [],
    })),
    models: (resolved.plan.models?.records ?? []).map(({ use, file, hash, inputs }) => ({ use, file, sha256: hash, inputs })),
    data: record.feeds.map(({ name, bars, quality }) => ({
      feed: name,
      instrument: bars.instrument.id,
      interval: bars.interval,
      rows: quality.rows,
      synthetic: quality.synthetic,
      manifestSha256: quality.manifestHash,
    })),
    origin,
    lockFile: lockFileIn('.'),
    versions: versions(),
  };
}

/**
 * Writes the run folder into `staging`, renames it to `<out>/<yyyymmdd-hhmmss>-<name>` and returns that path. Without `hasReport` it has no
 * report.html. Throws ConfigError if it cannot be written, and leaves nothing behind.
 */
export async function writeRunFolder(out: string, staging: string, run: FinishedRun, hasReport = true): Promise<string> {
  const { record, log, summary, clock } = run;
  const identity = identityOf(run);
  const definition = definitionText(run.resolved, run.origin);
  const name = `${runTimestamp(clock.nowMs)}-${record.name}`;
  const provenanceIn = (parent: string, folder: string) =>
    provenanceOf(run, identity, join(freePath(parent, folder), identity.definition.file));
  try {
    mkdirSync(staging, { recursive: true });
    const pathOf = (file: string) => join(staging, file);
    // The report is compressed on other threads while this one writes the tables.
    const report = hasReport ? writeReport({ record, summary, provenance: provenanceIn(out, name) }, pathOf('report.html')) : null;
    const tables = deferOutcome(() => {
      const startedIn = relative(resolve(out, name), process.cwd());
      const manifest: Manifest = { ...identity, startedIn, inputs: inputFiles(run), ...(hasReport ? {} : { report: false }) };
      writeFileSync(pathOf('manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
      writeFileSync(pathOf('definition.yaml'), definition);
      writeRunFiles(record, summary, staging);
      writeEquity(pathOf('equity.arrow'), record, summary.resultHash);
    });
    await report;
    tables();
    log.addEvent('run is written', { resultHash: summary.resultHash });
    writeFileSync(pathOf('run.log'), log.text());
    run.release();
    return moveInto(out, staging, name);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw writeError(out, error);
  }
}

/** Writes the equity of a run. Equal runs give equal bytes. */
export function writeEquity(path: string, record: RunRecord, resultHash: string): void {
  if (record.streamed === undefined) writeArrowColumns(path, equityToWrite(record), equityMetadata(record, resultHash));
  else record.streamed.moveEquity(path, resultHash);
}

/** Writes only the report, over an existing file. Throws ConfigError if it cannot be written. */
export async function writeRunReport(path: string, run: FinishedRun): Promise<void> {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    await writeReport(
      { record: run.record, summary: run.summary, provenance: provenanceOf(run, identityOf(run), 'definition.yaml') },
      path,
    );
  } catch (error) {
    throw writeError(path, error);
  }
}

/** Returns the origin of a run for its report. `file`: path of the definition, or where it could be put. */
function provenanceOf({ resolved, origin, clock }: FinishedRun, identity: RunIdentity, file: string): Provenance {
  const { definition: definitionFile, strategies, models, data, lockFile: lock } = identity;
  const commands = [...(origin.recipe === null ? [] : [origin.recipe]), `isobar backtest ${shellWord(displayPath(resolve(file)))}`];
  return {
    definition: definitionText(resolved, origin),
    command: origin.inCode.length === 0 ? commands.join('\n') : `in code: ${origin.inCode.join(', ')}`,
    hashes: [
      { name: definitionFile.file, sha256: definitionFile.sha256 },
      ...[...strategies, ...models].map(({ file: name, sha256 }) => ({ name, sha256 })),
      ...data.map(({ feed, instrument, interval, manifestSha256 }) => ({
        name: `${feed}: ${instrument} ${interval}`,
        sha256: manifestSha256,
      })),
      ...(lock === null ? [] : [{ name: lock.file, sha256: lock.sha256 }]),
    ],
    writtenMs: clock.nowMs,
  };
}

/**
 * Returns the definition as it was run. Comments in front of it list the commands that make its bars, and the parts that were given in
 * code.
 */
export function definitionText({ text }: Pick<ResolvedRun, 'text'>, { recipe, inCode }: Origin): string {
  const remarks = [...(recipe === null ? [] : [recipe]), ...inCode.map((part) => `in code: ${part}`)];
  return `${remarks.map((remark) => `# ${remark}\n`).join('')}${text}`;
}
