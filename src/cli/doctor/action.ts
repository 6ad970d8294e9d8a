// What `isobar doctor` does: checks its options, examines, tells each check when it is done, writes the bundle.

import { writeFileSync } from 'node:fs';
import { monotonicMs, nowMs, repeat } from '../../adapters/clock/wallClock.ts';
import type { Check, CheckResult } from '../../app/doctor/check.ts';
import { bundleText } from '../../app/doctor/bundle.ts';
import { admit, examinePatient, type DoctorOptions } from '../../app/doctor/doctor.ts';
import type { Progress } from '../../app/doctor/examine.ts';
import { withoutKeys } from '../../app/access/keyLike.ts';
import type { AccessOptions } from '../../app/access/settings.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { wantsColour } from '../../report/terminal/closingTable.ts';
import { closingLines, headingLines, reportJson, resultLines } from './text.ts';

export interface DoctorArgs extends AccessOptions {
  readonly market?: Market | 'both' | undefined;
  readonly symbol?: string | undefined;
  readonly catalog: string;
  readonly timeout: string;
  readonly json: boolean;
  readonly bundle?: string | undefined;
}

export async function doctor(args: DoctorArgs): Promise<void> {
  const options = optionsOf(args);
  const patient = admit(options);
  const colour = wantsColour(process.stdout, process.env);
  let section: Market | null = null;
  const finished = (result: CheckResult): void => {
    if (args.json) return;
    const { market } = result;
    const heading = market !== section ? headingLines(market, market === null ? null : patient.settings.baseUrls[market]) : [];
    section = market;
    print([...heading, ...resultLines(result, colour)]);
  };
  const waiting = waitingLine();
  try {
    const report = await examinePatient(patient, options, waiting.around(finished));
    if (args.json) print([reportJson(report)]);
    else print(closingLines(report, patient.settings.dialect, colour));
    if (args.bundle !== undefined) writeBundle(args.bundle, bundleText(patient, report, nowMs()));
    process.exitCode = report.ok ? EXIT.ok : EXIT.failed;
  } finally {
    waiting.end();
  }
}

const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

function writeBundle(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`--bundle ${path}: cannot be written (${why})`, 'name a file in a folder that exists');
  }
  process.stderr.write(`support bundle: ${path}\n`);
}

const QUIET_MS = 1000;

interface WaitingLine {
  around(finished: (result: CheckResult) => void): Progress;
  end(): void;
}

/** On a terminal, which check is under way, where one takes longer than a second. */
function waitingLine(): WaitingLine {
  const state: { check: Check | null; beganMs: number; isShown: boolean } = { check: null, beganMs: 0, isShown: false };
  const clear = (): void => {
    if (state.isShown) process.stderr.write('\r\u001b[K');
    state.isShown = false;
  };
  const show = (): void => {
    if (state.check === null || monotonicMs() - state.beganMs < QUIET_MS) return;
    process.stderr.write(`\r\u001b[Kchecking ${state.check.name}  ${Math.floor((monotonicMs() - state.beganMs) / 1000)} s`);
    state.isShown = true;
  };
  const stop = process.stderr.isTTY ? repeat(QUIET_MS / 2, show) : () => {};
  return {
    around: (finished) => ({
      started: (check) => {
        state.check = check;
        state.beganMs = monotonicMs();
      },
      finished: (result) => {
        clear();
        finished(result);
      },
    }),
    end() {
      stop();
      clear();
    },
  };
}

function optionsOf(args: DoctorArgs): DoctorOptions {
  const { market, symbol, catalog, timeout, config, spotUrl, futuresUrl } = args;
  return {
    markets: market === undefined ? null : market === 'both' ? ['spot', 'futures'] : [market],
    symbols: symbol === undefined ? [] : symbolsOf(symbol),
    catalog,
    timeoutMs: timeoutOf(timeout),
    config,
    spotUrl,
    futuresUrl,
  };
}

function symbolsOf(text: string): readonly string[] {
  const symbols = text.split(',').map((word) => word.trim().toUpperCase());
  const wrong = symbols.find((symbol) => !/^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(symbol));
  if (wrong === undefined) return symbols;
  throw new ConfigError(`--symbol: expected names such as BTCUSDT,E-BTC-USDT, got ${withoutKeys(text)}`, 'put commas between several');
}

function timeoutOf(text: string): number {
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds >= 0.1 && seconds <= 600) return seconds * 1000;
  throw new ConfigError(`--timeout: expected seconds from 0.1 to 600, got ${withoutKeys(text)}`, '10 is the default');
}
