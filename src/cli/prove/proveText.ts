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

/** Returns the lines joined by \n, without a final \n. */
export function proveText({ strategy, verdict, proofs, bars, seconds }: StrategyVerdict, colour: boolean): string {
  const shown = (of: Proof['verdict'], text: string): string => (colour ? colourText(text, HUES[of]) : text);
  const lines = [`  ${shown(verdict, verdict.replace('-', ' '))}: ${strategy}, ${counted(bars, 'bar')}, ${fixed(seconds, 1)} s`, ''];
  for (const proof of proofs) {
    const [first = '', ...rest] = withLead(' '.repeat(2 + NAME_WIDTH + VERDICT_WIDTH), proof.text);
    const label = proof.verdict.replace('-', ' ').padEnd(VERDICT_WIDTH);
    lines.push(`  ${proof.name.padEnd(NAME_WIDTH)}${shown(proof.verdict, label)}${first.trimStart()}`, ...rest, ...differenceLines(proof));
  }
  return lines.join('\n');
}

function differenceLines({ first, file, line }: Proof): string[] {
  if (first === null) return [];
  const lead = (label: string): string => ' '.repeat(2 + NAME_WIDTH) + label.padEnd(VERDICT_WIDTH);
  const when = [first.time, first.feed].filter((part) => part !== null).join(', ');
  return [
    ...(when === '' ? [] : withLead(lead('first'), when)),
    ...withLead(lead('expected'), first.expected),
    ...withLead(lead('actual'), first.actual),
    ...(file === null ? [] : withLead(lead('at'), `${file}${line === null ? '' : `:${line}`}`)),
  ];
}
