// What `isobar journal check` does: reads a journal, prints what it found.

import { checkJournal, type JournalReport } from '../../app/journal/checkJournal.ts';
import { EXIT } from '../../base/errors.ts';
import { foreignText } from '../../base/foreignText.ts';
import { formatTime } from '../../model/time.ts';
import { count, counted } from '../../report/html/page/format.ts';
import { wrapped } from '../terminal/wrapped.ts';

const WIDTH = 100;
const LABEL_COLUMNS = 12;

export function check({ path, json }: { readonly path: string; readonly json: boolean }): void {
  const report = checkJournal(path);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `${journalLines(report).join('\n')}\n`);
  if (report.verdict === 'damaged') process.exitCode = EXIT.failed;
}

/** A line for each thing that is there to be said, at most 100 columns. */
function journalLines(report: JournalReport): readonly string[] {
  const { account, files, bytes, records, firstSeq, lastSeq, firstMs, lastMs, kinds, tombs, halts, writer } = report;
  const times = firstMs === null || lastMs === null ? [] : labelled('time', `${formatTime(firstMs)} to ${formatTime(lastMs)}`);
  return [
    ...labelled('journal', report.path),
    ...labelled('account', foreignText(account ?? 'none yet')),
    ...labelled('files', `${count(files)}, ${counted(bytes, 'byte')}`),
    ...labelled('records', records === 0 ? 'none' : `${count(records)}, ${count(firstSeq)} to ${count(lastSeq)}`),
    ...times,
    ...(records === 0 ? [] : labelled('kinds', Object.entries(kinds).map(([kind, n]) => `${kind} ${count(n)}`).join(', '))), // prettier-ignore
    ...labelled('open orders', openText(report)),
    ...(tombs > 0 ? labelled('no effect', `${count(tombs)}: proved so, and watched for ever`) : []),
    ...halts.flatMap(({ scope, state, code, why }) => labelled('halt', foreignText(`${state} of ${scope}: ${code}, ${why}`))),
    ...(writer ? labelled('in use', `by process ${writer.pid} on ${foreignText(writer.host)}: the end may be in the making`) : []),
    '',
    ...verdictLines(report),
  ];
}

const WORDS: Readonly<Record<keyof JournalReport['unfinished'], string>> = {
  working: 'at the exchange',
  cancelSent: 'being cancelled',
  unconfirmed: 'ended, to be read once more',
  unknown: 'of unknown outcome',
  notSent: 'never sent',
};

function openText({ unfinished }: JournalReport): string {
  const named = Object.entries(WORDS).flatMap(([kind, words]) => {
    const found = Object.entries(unfinished).find(([name]) => name === kind)?.[1] ?? 0;
    return found > 0 ? [`${count(found)} ${words}`] : [];
  });
  return named.length > 0 ? named.join(', ') : 'none';
}

function verdictLines({ verdict, torn, damage, lastSeq }: JournalReport): readonly string[] {
  if (damage) return [...wrapped(`damaged: ${damage.message}`, WIDTH), ...wrapped(damage.remedy, WIDTH - 2).map((line) => `  ${line}`)];
  if (verdict === 'whole' || !torn) return ['whole: a start goes on with it'];
  const { path, line, bytes, says } = torn;
  return wrapped(
    `${path}:${line}: ${says} (${counted(bytes, 'byte')}): a start leaves it out and goes on after record ${count(lastSeq)}`,
    WIDTH,
  );
}

const labelled = (label: string, text: string): readonly string[] =>
  wrapped(text, WIDTH - LABEL_COLUMNS).map((line, at) => (at === 0 ? label : '').padEnd(LABEL_COLUMNS) + line);
