// Implements `isobar journal check`: reads a journal and prints the findings.

import { checkJournal, type JournalReport } from '../../adapters/journal/checkJournal.ts';
import { EXIT } from '../../base/errors.ts';
import { sanitizeText } from '../../base/text/untrustedText.ts';
import { formatTime } from '../../model/time.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { indentText, labelText, wrapText } from '../terminal/wrapText.ts';

/** Width of the labels at the left, in characters. */
const LABEL_COLUMNS = 12;

/** Runs `isobar journal check`. The exit code is 1 for a damaged journal. */
export function check({ path, json }: { readonly path: string; readonly json: boolean }): void {
  const report = checkJournal(path);
  if (json) printJson(report);
  else printLines(journalLines(report));
  if (report.verdict === 'damaged') process.exitCode = EXIT.failed;
}

/** Returns the facts about a journal and the verdict, in lines of at most 100 columns. */
function journalLines(report: JournalReport): readonly string[] {
  const { account, files, bytes, records, firstSeq, lastSeq, firstMs, lastMs, kinds, provenAbsent, halts, writer } = report;
  const recordsText = records === 0 ? 'none' : `${wholeText(records)}, ${wholeText(firstSeq)} to ${wholeText(lastSeq)}`;
  const timeLines = firstMs === null || lastMs === null ? [] : factLines('time', `${formatTime(firstMs)} to ${formatTime(lastMs)}`);
  const kindsText = Object.entries(kinds).map(([kind, kindCount]) => `${kind} ${wholeText(kindCount)}`);
  const absentLines = factLines('no effect', `${wholeText(provenAbsent)}: proven absent, and still watched`);
  const haltLines = halts.flatMap(({ scope, state, code, why }) =>
    factLines('halt', sanitizeText(`${state} of ${scope}: ${code}, ${why}`)),
  );
  return [
    ...factLines('journal', report.path),
    ...factLines('account', sanitizeText(account ?? 'none yet')),
    ...factLines('files', `${wholeText(files)}, ${counted(bytes, 'byte')}`),
    ...factLines('records', recordsText),
    ...timeLines,
    ...(records === 0 ? [] : factLines('kinds', kindsText.join(', '))),
    ...factLines('open orders', unfinishedText(report)),
    ...(provenAbsent > 0 ? absentLines : []),
    ...haltLines,
    ...(writer ? factLines('in use', `by process ${writer.pid} on ${sanitizeText(writer.host)}: it may be writing the last record`) : []),
    '',
    ...verdictLines(report),
  ];
}

/** How an unfinished order is described, by its state. */
const UNFINISHED_TEXT: Readonly<Record<keyof JournalReport['unfinished'], string>> = {
  working: 'at the exchange',
  cancelSent: 'being cancelled',
  unconfirmed: 'ended, to be queried once more',
  unknown: 'of unknown outcome',
  notSent: 'never sent',
};

/** Returns the number of unfinished orders in each state. */
function unfinishedText({ unfinished }: JournalReport): string {
  const counts = new Map(Object.entries(unfinished));
  const countTexts = Object.entries(UNFINISHED_TEXT).flatMap(([state, text]) => {
    const count = counts.get(state) ?? 0;
    return count > 0 ? [`${wholeText(count)} ${text}`] : [];
  });
  return countTexts.length > 0 ? countTexts.join(', ') : 'none';
}

/** Returns whether a bot can start from the journal, and which line it would omit. */
function verdictLines({ verdict, torn, damage, lastSeq }: JournalReport): readonly string[] {
  if (damage) return [...wrapText(`damaged: ${damage.message}`), ...indentText(damage.remedy, 2)];
  if (verdict === 'whole' || !torn) return ['whole: a start continues with it'];
  const { path, line, bytes, message } = torn;
  return wrapText(
    `${path}:${line}: ${message} (${counted(bytes, 'byte')}): a start omits this line and continues after record ${wholeText(lastSeq)}`,
  );
}

/** Returns one fact with its label. */
const factLines = (label: string, text: string): readonly string[] => labelText(label.padEnd(LABEL_COLUMNS), text);
