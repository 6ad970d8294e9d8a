// Output of `isobar doctor`: a line for each check with its fix below. At most 100 columns, with or without colours.

import type { CheckResult, Status } from '../../tasks/doctor/context/check.ts';
import type { DoctorReport } from '../../tasks/doctor/doctor.ts';
import { sanitizeJson } from '../../base/text/untrustedText.ts';
import type { Market } from '../../model/instrument.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { wholeText } from '../../base/text/format.ts';
import { COLUMNS, colourText, type Hue } from '../../report/terminal/lines.ts';
import { jsonText } from '../terminal/print.ts';
import { indentText, labelText, wrapText } from '../terminal/wrapText.ts';

/** Width of the names of checks, in characters. */
const NAME_COLUMNS = 14;
/** The space before a detail: two spaces, the mark of the status and a space, then the name. */
const INDENT = ' '.repeat(4 + NAME_COLUMNS);
/** Width of the durations of checks, in characters. */
const TIME_COLUMNS = 10;

/** How a check is shown by its status, and the titles of the markets. */
const MARKS: Readonly<Record<Status, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '·' };
const HUES: Readonly<Record<Status, Hue>> = { ok: 'green', warning: 'amber', failed: 'red', skipped: 'grey' };
const TITLES: Readonly<Record<Market, string>> = { spot: 'Spot', futures: 'Futures' };

/** Returns a text in the colour of a status. */
const colouredStatus = (text: string, status: Status, colour: boolean): string => (colour ? colourText(text, HUES[status]) : text);

/** Returns the heading above the checks of a market. For checks of no single market it is an empty line. */
export function headingLines(market: Market | null, origin: string | null): readonly string[] {
  return market === null ? [''] : ['', `  ${TITLES[market]}  ${origin ?? ''}`];
}

/** Returns the lines of a check. The first one looks like `  ✓ ping      5 answers, 3.1 ms in the middle, the slowest 9.6 ms      21 ms`. */
export function resultLines({ name, market, status, detail, more, serviceText, fix, ms }: CheckResult, colour: boolean): readonly string[] {
  const detailWidth = COLUMNS - INDENT.length - TIME_COLUMNS;
  const [firstLine = '', ...otherLines] = wrapText(status === 'skipped' ? skippedText(detail) : detail, detailWidth);
  const shortName = market === null ? name : name.slice(market.length + 1);
  const time = status === 'skipped' ? '' : `${wholeText(ms)} ms`;
  const lead = `  ${colouredStatus(`${MARKS[status]} ${shortName.padEnd(NAME_COLUMNS)}`, status, colour)}`;
  return [
    `${lead}${firstLine.padEnd(detailWidth)}${time.padStart(TIME_COLUMNS)}`.trimEnd(),
    ...otherLines.map((line) => INDENT + line),
    ...more.flatMap((line) => detailLines('', line)),
    ...(serviceText === null ? [] : detailLines('', serviceText)),
    ...fix.flatMap((line, index) => detailLines(index === 0 ? 'fix:  ' : 'also: ', line)),
  ];
}

/** Returns why a check was skipped, as a sentence. */
const skippedText = (detail: string): string => `skipped${detail.startsWith('because ') ? '' : ':'} ${detail}`;

/** Returns the lines of a text below the detail of a check. */
const detailLines = (label: string, text: string): readonly string[] => labelText(INDENT + label, text);

/** Returns the number of results of each status, the verdict, the failed checks, and the dialect options to change. */
export function closingLines({ checks, dialect, ok }: DoctorReport, configured: Dialect, colour: boolean): readonly string[] {
  const namesWith = (status: Status): readonly string[] => checks.filter((check) => check.status === status).map(({ name }) => name);
  const failed = namesWith('failed');
  const warnings = namesWith('warning');
  const skipped = namesWith('skipped');
  const counts = [
    `${wholeText(namesWith('ok').length)} ok`,
    ...(warnings.length > 0 ? [`${wholeText(warnings.length)} ${warnings.length === 1 ? 'warning' : 'warnings'}`] : []),
    ...(failed.length > 0 ? [`${wholeText(failed.length)} failed`] : []),
    ...(skipped.length > 0 ? [`${wholeText(skipped.length)} skipped`] : []),
  ];
  const verdict = ok ? 'ready to trade' : 'not ready to trade';
  const text = `${counts.join(', ')}: ${verdict}`;
  const advice = failed.length === 0 ? [] : indentText(`To fix: ${failed.join(', ')}`, 2);
  return ['', `  ${colouredStatus(text, ok ? 'ok' : 'failed', colour)}`, ...advice, ...dialectLines(dialect, configured)];
}

/** Returns the dialect options as they are written in an access file. */
function dialectLines(detected: DoctorReport['dialect'], configured: Dialect): readonly string[] {
  const configuredValues = new Map<string, unknown>(Object.entries(configured));
  const isChanged = (name: string, value: unknown): boolean => configuredValues.has(name) && configuredValues.get(name) !== value;
  const changedOptions = Object.entries(detected).filter(([name, value]) => isChanged(name, value));
  if (changedOptions.length === 0) return [];
  const optionLines = changedOptions.map(([name, value]) => `      ${name}: ${value}`);
  return ['', '  For the access file (--config):', '', '    dialect:', ...optionLines];
}

/** Returns the report as JSON, without the parts that only a bundle needs. */
export function reportJson({ checks, dialect, ok }: DoctorReport): string {
  const results = checks.map(({ name, status, detail, more, serviceText, fix, code, ms }) => ({
    name,
    status,
    detail,
    more,
    serviceText,
    fix: fix.length === 0 ? null : fix.join('; '),
    code,
    ms,
  }));
  return sanitizeJson(jsonText({ checks: results, dialect, ok }));
}
