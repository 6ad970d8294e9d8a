// Output of `isobar verify` for people: the verdict first, then the differences and the changed inputs. At most 100 columns.

import type { VerifyVerdict } from '../../tasks/backtest/verify/verify.ts';
import type { ChangedInput } from '../../tasks/backtest/verify/checkInputs.ts';
import type { TableDifference } from '../../tasks/backtest/verify/tableDifference.ts';
import { assertNever } from '../../base/assert.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import { withLead } from '../../report/terminal/lines.ts';

/** Width of the labels before the texts. */
const LABEL_COLUMNS = 11;
/** Number of characters of a hash that are shown. */
const HASH_LETTERS = 12;
/** The headline names an input only if its path has at most this many characters. */
const MAX_NAMED_INPUT_LENGTH = 50;

/** Returns the verdict as text without a final line break. */
export function verdictText(verdict: VerifyVerdict): string {
  const { folder, differences, changed, inputs, notes, failure } = verdict;
  const lines = [headline(verdict), ...labelledLines('Run', folder), ...labelledLines('Result', resultText(verdict))];
  if (failure !== null) {
    lines.push(...labelledLines('Failure', failure.message));
    if (failure.remedy !== '') lines.push(...labelledLines('', failure.remedy));
  }
  const [firstDifference, ...laterDifferences] = differences;
  if (firstDifference !== undefined) lines.push('', ...labelledLines('First', differenceText(firstDifference)));
  for (const [index, difference] of laterDifferences.entries()) {
    lines.push(...labelledLines(index === 0 ? 'Then' : '', differenceText(difference)));
  }
  const explanation = explainDifference(verdict);
  if (explanation !== null) lines.push('', ...labelledLines('Why', explanation));
  if (changed.length === 0) lines.push(...labelledLines('Inputs', `${counted(inputs, 'file')}, each as the run read it`));
  else {
    const changedText = `${wholeText(changed.length)} of ${counted(inputs, 'input')}`;
    lines.push('', ...labelledLines('Changed', changedText), ...changed.flatMap(changedLines));
  }
  for (const note of notes) lines.push(...labelledLines('Note', note));
  return lines.join('\n');
}

/** Returns the lines of a text. The label precedes the first line, and the others are indented. */
function labelledLines(label: string, text: string): string[] {
  const [firstLine = '', ...otherLines] = text.split('\n');
  return [
    ...withLead(`  ${label.padEnd(LABEL_COLUMNS)}`, firstLine),
    ...otherLines.flatMap((line) => withLead(' '.repeat(2 + LABEL_COLUMNS), line)),
  ];
}

/** Returns the first line: the verdict and, for a difference, where it is. */
function headline({ outcome, changed, differences, resultHash }: VerifyVerdict): string {
  const changedInputs = changed.length === 0 ? '' : `; ${changedNames(changed)} changed`;
  switch (outcome) {
    case 'identical':
      return changed.length === 0 ? '  identical' : `  identical result, but ${changedNames(changed)} changed`;
    case 'different': {
      const files = [...new Set(differences.map(({ file }) => file))];
      const isFolderChanged = changed.length === 0 && (resultHash.now === resultHash.recorded || files[0] === 'manifest.json');
      if (isFolderChanged) return `  different: ${files.join(', ')} ${files.length === 1 ? 'is' : 'are'} not what the run wrote`;
      const [first] = differences;
      return `  different: ${first === undefined ? 'the result' : `${first.what} in ${first.file}`}${changedInputs}`;
    }
    case 'notRun':
      return `  not verified: the run could not be repeated${changedInputs}`;
    default:
      return assertNever(outcome);
  }
}

/** Returns the name of the only changed input if it is short, else the number of changed inputs. */
function changedNames(changed: readonly ChangedInput[]): string {
  const [firstInput] = changed;
  const isNamed = changed.length === 1 && firstInput !== undefined && firstInput.file.length <= MAX_NAMED_INPUT_LENGTH;
  return isNamed ? firstInput.file : counted(changed.length, 'input');
}

/** Returns the recorded and the new result hash. */
function resultText({ resultHash: { recorded, now }, rows, outcome }: VerifyVerdict): string {
  if (now === null) return `recorded ${shortHash(recorded)}`;
  if (now !== recorded) return `recorded ${shortHash(recorded)}, now ${shortHash(now)}`;
  const compared = `${counted(rows.orders, 'order')}, ${counted(rows.fills, 'fill')}, ${counted(rows.instants, 'instant')} of equity`;
  return `${shortHash(now)}, as recorded${outcome === 'identical' ? `: ${compared}` : ''}`;
}

/** Returns a difference as three lines: its place, the recorded value and the new one. */
function differenceText({ file, what, where, recorded, now }: TableDifference): string {
  const place = where === '' ? '' : ` (${where})`;
  return `${what}${place} in ${file}\nrecorded  ${recorded}\nnow       ${now}`;
}

/** Returns why the repeated run differs. Null when it does not differ, and when the changed inputs explain it. */
function explainDifference({ outcome, isFolderAltered, changed, notes, differences, resultHash }: VerifyVerdict): string | null {
  if (outcome !== 'different') return null;
  const areAllTags = differences.every(({ what }) => /, (slot|code|entry_tag|exit_tag)$/.test(what));
  if (resultHash.now === resultHash.recorded) {
    const files = [...new Set(differences.map(({ file }) => file))].join(', ');
    if (changed.length > 0) return `the result hash is as recorded: ${files} changed after the run, or shows what has changed`;
    const orTags = areAllTags ? ', or tags of the strategy depend on chance' : '';
    return `the repeated run has the recorded hash: ${files} changed after the run${orTags}`;
  }
  if (isFolderAltered)
    return 'orders, fills and equity of the folder do not have the recorded hash: they, or the hash, changed after the run';
  if (changed.length > 0) return null;
  if (notes.length > 0) return 'no file that went in has changed, but a version has';
  return 'nothing that went in has changed: the strategy or a model depends on something else, such as a clock, chance or a file';
}

/** Returns two lines about an input that has changed since the run: its path, and its hashes then and now. */
function changedLines({ use, file, recorded, now }: ChangedInput): string[] {
  const recordedText = recorded === null ? 'none' : shortHash(recorded);
  const nowText = now === null ? 'missing' : shortHash(now);
  return [`    ${file}`, `      ${use.padEnd(10)}  recorded ${recordedText}, now ${nowText}`];
}

const shortHash = (hash: string) => hash.slice(0, HASH_LETTERS);
