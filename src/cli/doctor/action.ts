// Implements `isobar doctor`: checks its options, runs the checks, prints each result as it arrives, and writes the bundle.

import { writeFileSync } from 'node:fs';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import type { CheckResult } from '../../tasks/doctor/context/check.ts';
import { bundleText } from '../../tasks/doctor/bundleText.ts';
import { resolveTarget, runDoctor, type DoctorOptions } from '../../tasks/doctor/doctor.ts';
import { withoutKeys } from '../../access/keyLike.ts';
import type { AccessOptions } from '../../access/settings.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { answerTimeoutMs } from '../options/timeout.ts';
import { print, printLines } from '../terminal/print.ts';
import { waitingLine } from '../terminal/waitingLine.ts';
import { closingLines, headingLines, reportJson, resultLines } from './doctorText.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

/** The options of `isobar doctor`. */
export interface DoctorArgs extends AccessOptions {
  readonly market?: Market | 'both' | undefined;
  readonly symbol?: string | undefined;
  readonly catalog: string;
  readonly timeout: string;
  readonly json: boolean;
  readonly bundle?: string | undefined;
}

/** Runs `isobar doctor` and sets the exit code: 0 when this computer is ready to trade. */
export async function doctor(args: DoctorArgs): Promise<void> {
  noteProxies();
  const options = optionsOf(args);
  const target = resolveTarget(options);
  const colour = wantsColour(process.stdout, process.env);
  let section: Market | null = null;
  const printResult = (result: CheckResult): void => {
    if (args.json) return;
    const { market } = result;
    const heading = market !== section ? headingLines(market, market === null ? null : target.settings.baseUrls[market]) : [];
    section = market;
    printLines([...heading, ...resultLines(result, colour)]);
  };
  const waiting = waitingLine();
  try {
    const report = await runDoctor(target, options, {
      started: ({ name }) => waiting.begin(`checking ${name}`),
      finished: (result) => {
        waiting.clear();
        printResult(result);
      },
    });
    if (args.json) print(reportJson(report));
    else printLines(closingLines(report, target.settings.dialect, colour));
    if (args.bundle !== undefined) writeBundle(args.bundle, bundleText(target, report, nowMs()));
    process.exitCode = report.ok ? EXIT.ok : EXIT.failed;
  } finally {
    waiting.end();
  }
}

/** Writes the support bundle, which only the user can read. */
function writeBundle(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`--bundle ${path}: cannot be written (${reason})`, 'give a file in an existing folder');
  }
  process.stderr.write(`support bundle: ${path}\n`);
}

/** Returns the options of the command line in the form that the checks take. */
function optionsOf(args: DoctorArgs): DoctorOptions {
  const { market, symbol, catalog, timeout, config, spotUrl, futuresUrl } = args;
  return {
    markets: market === undefined ? null : marketsOf(market),
    symbols: symbol === undefined ? [] : symbolsOf(symbol),
    catalog,
    timeoutMs: answerTimeoutMs(timeout),
    config,
    spotUrl,
    futuresUrl,
  };
}

const marketsOf = (market: Market | 'both'): readonly Market[] => (market === 'both' ? ['spot', 'futures'] : [market]);

/** Returns the symbols between commas, in capitals. Throws ConfigError for an invalid one. */
function symbolsOf(text: string): readonly string[] {
  const symbols = text.split(',').map((word) => word.trim().toUpperCase());
  const wrong = symbols.find((symbol) => !/^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(symbol));
  if (wrong === undefined) return symbols;
  throw new ConfigError(
    `--symbol: expected names such as BTCUSDT,E-BTC-USDT, got ${withoutKeys(text)}`,
    'separate several symbols by commas',
  );
}
