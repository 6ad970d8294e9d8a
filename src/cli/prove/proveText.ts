// Output of `isobar prove` for people: the verdict first, then each proof. At most 100 columns.

import type { Proof, StrategyVerdict } from '../../model/run/proof.ts';
import { counted, fixed } from '../../base/text/format.ts';
import { colourText, withLead, type Hue } from '../../report/terminal/lines.ts';

const NAME_WIDTH = 13;
const VERDICT_WIDTH = 16;
const HUES: Readonly<Record<Proof['verdict'], Hue>> = {
  proved: 'green',
  holds: 'green',
  refuted: 'red',
  depends: 'amber',
  'not-proved': 'amber',
  'not-applicable': 'grey',
};

/** Returns the verdict as text without a final line break. */
export function proveText({ strategy, verdict, proofs, bars, seconds }: StrategyVerdict, colour: boolean): string {
  const colourVerdict = (text: string, result: Proof['verdict']): string => (colour ? colourText(text, HUES[result]) : text);
  const lines = [
    `  ${colourVerdict(verdict.replace('-', ' '), verdict)}: ${strategy}, ${counted(bars, 'bar')}, ${fixed(seconds, 1)} s`,
    '',
  ];
  for (const proof of proofs) {
    const [firstLine = '', ...otherLines] = withLead(' '.repeat(2 + NAME_WIDTH + VERDICT_WIDTH), proof.text);
    const label = proof.verdict.replace('-', ' ').padEnd(VERDICT_WIDTH);
    lines.push(
      `  ${proof.name.padEnd(NAME_WIDTH)}${colourVerdict(label, proof.verdict)}${firstLine.trimStart()}`,
      ...otherLines,
      ...differenceLines(proof),
    );
  }
  return lines.join('\n');
}

/** Returns the first difference that a proof found, and the line of the strategy that caused it. Empty without a difference. */
function differenceLines({ first, file, line }: Proof): string[] {
  if (first === null) return [];
  const leadText = (label: string): string => ' '.repeat(2 + NAME_WIDTH) + label.padEnd(VERDICT_WIDTH);
  const place = [first.time, first.feed].filter((part) => part !== null).join(', ');
  return [
    ...(place === '' ? [] : withLead(leadText('first'), place)),
    ...withLead(leadText('expected'), first.expected),
    ...withLead(leadText('actual'), first.actual),
    ...(file === null ? [] : withLead(leadText('at'), line === null ? file : `${file}:${line}`)),
  ];
}
