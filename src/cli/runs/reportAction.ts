// Implements `isobar report`: prints the closing table of a run again, or compares two runs, and opens the page on request.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readInputFile } from '../../adapters/disk/regularFile.ts';
import { displayPath } from '../../definition/text/paths.ts';
import { openRun, readStoredEquity, readSummary } from '../../tasks/backtest/folder/readRunFolder.ts';
import { compareFolders, writeComparison } from '../../tasks/backtest/verify/compareFolders.ts';
import { ConfigError } from '../../base/errors.ts';
import type { RunComparison } from '../../report/compare/comparison.ts';
import { compareTable } from '../../report/compare/terminal.ts';
import { breakdownTables } from '../../report/terminal/breakdowns.ts';
import { closingTable } from '../../report/terminal/closingTable.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { print, printJson, printLines } from '../terminal/print.ts';
import type { ProfileName } from '../../report/profiles/names.ts';
import { profileLines } from './profileText.ts';

/** Options of `isobar report`. */
interface ReportArgs {
  readonly run: string;
  readonly other?: string | undefined;
  readonly as?: ProfileName | undefined;
  readonly open: boolean;
  readonly breakdowns: boolean;
  readonly out?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Runs `isobar report`. */
export async function report(args: ReportArgs): Promise<void> {
  if (args.as !== undefined) return showProfile(args, args.as);
  const page = args.other === undefined ? showRun(args) : await showComparison(args, args.other);
  if (args.open) await openInBrowser(page);
}

/** Prints one run. Returns the path of its report page. */
function showRun({ run: folder, json, quiet, out, open, breakdowns }: ReportArgs): string {
  if (out !== undefined)
    throw new ConfigError('--out: expected only with two runs, got one', 'remove --out: a single run has its report in its folder');
  const run = openRun(folder);
  const page = resolve(folder, 'report.html');
  const hasPage = existsSync(page);
  if (!hasPage && (open || (quiet && !json))) {
    throw new ConfigError(`${displayPath(page)}: the run has no report`, 'run it again without --no-report');
  }
  const summary = readSummary(run);
  if (json) process.stdout.write(readInputFile(join(folder, 'summary.json')));
  else if (quiet) print(displayPath(page));
  else {
    const { equity } = readStoredEquity(folder);
    const colour = wantsColour(process.stdout, process.env);
    const options = { colour, ...(hasPage ? { report: displayPath(page) } : {}) };
    print(closingTable({ equity: { length: equity.length, units: equity } }, summary, options));
    if (breakdowns) print(`\n${breakdownTables(summary)}`);
  }
  return page;
}

/** Prints the figures of a run as another tool computes them. */
async function showProfile({ run, other, open, out, json, quiet }: ReportArgs, name: ProfileName): Promise<void> {
  if (other !== undefined) throw new ConfigError('--as: expected one run, got two', `isobar report ${displayPath(run)} --as ${name}`);
  const givenOptions = { '--open': open, '--out': out !== undefined, '--quiet': quiet };
  const unusable = Object.entries(givenOptions).find(([, isGiven]) => isGiven)?.[0];
  if (unusable !== undefined)
    throw new ConfigError(`--as: expected not to be given with ${unusable}`, `remove ${unusable}; a program can use --json`);
  const { profileRun } = await import('../../tasks/backtest/verify/profileRun.ts');
  const { summary, profile, note } = await profileRun(run, name);
  if (json) printJson({ run: displayPath(run), resultHash: summary.resultHash, ...profile, note });
  else printLines(profileLines(profile, note, summary));
}

/** Prints a comparison of two runs. Returns the path of its page. */
async function showComparison({ run, out, json, quiet, breakdowns }: ReportArgs, other: string): Promise<string> {
  if (breakdowns) throw new ConfigError('--breakdowns: expected one run, got two', 'remove the second run');
  const comparison = compareFolders(run, other);
  const page = await writeComparison(comparison, out ?? null);
  const colour = wantsColour(process.stdout, process.env);
  if (json) printJson(comparisonJson(comparison, displayPath(resolve(page))));
  else if (quiet) print(displayPath(resolve(page)));
  else print(compareTable(comparison, { colour, report: displayPath(resolve(page)) }));
  return page;
}

/** Returns a comparison as `--json` prints it. */
function comparisonJson({ a, b, isIdentical, figures, keys, inputs, firstFill, warnings }: RunComparison, page: string) {
  const runJson = ({ path, summary }: RunComparison['a']) => ({ folder: path, resultHash: summary.resultHash });
  return {
    a: runJson(a),
    b: runJson(b),
    isIdentical,
    figures: Object.fromEntries(
      figures.map(({ name, a: valueOfA, b: valueOfB, difference, better }) => [name, { a: valueOfA, b: valueOfB, difference, better }]),
    ),
    differs: [...keys, ...inputs],
    firstFill,
    warnings,
    report: page,
  };
}

/** The command that opens a file, for systems without `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens the page in the system's browser, or in the program that BROWSER names. */
async function openInBrowser(page: string): Promise<void> {
  const browser = process.env['BROWSER'];
  const [command, ...args] = browser ? [browser] : (OPENERS[process.platform] ?? ['xdg-open']);
  await new Promise<void>((resolveStart, rejectStart) => {
    const child = spawn(command, [...args, page], { detached: true, stdio: 'ignore' });
    child.on('error', () => rejectStart(new ConfigError(`--open: ${command} cannot be started`, `open ${displayPath(page)} by hand`)));
    child.on('spawn', () => {
      child.unref();
      resolveStart();
    });
  });
}
