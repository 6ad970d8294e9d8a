// Output of `isobar sim` for people: a table of days, the worst day, and the broken rules. At most 100 columns.

import { formatTime } from '../../model/time.ts';
import type { Decimal } from '../../base/number/decimal.ts';
import { counted, dayText, usualDigits } from '../../base/text/format.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import type { SimDay, SimReport } from '../../worlds/simulate.ts';
import { table } from '../terminal/tables.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** Maximum number of rows. The days whose faults cost or gained most are shown. */
const MAX_ROWS = 40;

/** Returns the lines joined by \n, without a final \n. */
export function simText({ name, asset, notes, days, worst, hash }: SimReport, file: string): string {
  const lines = [
    ...withLead('  ', `${name}, ${counted(days.length, 'day')} of faults, each beside the same day without`),
    ...notes.flatMap((note) => withLead('  ', note)),
    '',
  ];
  const shown = new Set(
    days.toSorted((a, b) => Number(isBroken(b)) - Number(isBroken(a)) || b.cost.abs().comparedTo(a.cost.abs())).slice(0, MAX_ROWS),
  );
  const head = ['seed', 'day', 'without', 'with faults', 'cost', 'orders', 'unknown', 'restarts', 'broken'];
  const rows = days.filter((day) => shown.has(day)).map((day) => rowOf(day, asset));
  lines.push(...table(head, rows, 'rlrrrrrrr').map((line) => `  ${line}`));
  if (shown.size < days.length) lines.push(`  and ${counted(days.length - shown.size, 'day')} whose faults cost less`);
  const total = days.reduce((sum, { cost }) => sum.plus(cost), worst.cost.times(0));
  const orders = days.reduce((sum, day) => sum + day.orders, 0);
  lines.push('', ...withLead('  ', `all days: the faults ${costText(total, asset)}; hash ${hash}`));
  if (orders === 0)
    lines.push(...withLead('  ', 'no order was sent on any of these days: simulate more days, or a definition that trades more often'));
  else if (worst.cost.greaterThan(0))
    lines.push(
      ...withLead('  ', `the worst day: seed ${worst.seed}, ${dayText(worst.startMs)}, on which they ${costText(worst.cost, asset)}`),
    );
  const naked = days.flatMap(({ naked: of }) => of ?? []);
  if (naked.length > 0) {
    const minutes = naked.reduce((sum, each) => sum + each.withFaults, 0);
    lines.push(
      ...withLead('  ', `positions without their stop: ${counted(minutes, 'minute')} on ${counted(naked.length, 'day')} with stops`),
    );
  }
  lines.push(...brokenLines(days));
  const replayedDay = days.find(isBroken) ?? worst;
  lines.push('', `  to see all events of that day: ${replayCommand(file, replayedDay.seed)}`);
  return lines.join('\n');
}

export const replayCommand = (file: string, seed: number): string => `isobar sim ${shellWord(file)} --seed ${seed} --loud`;

const isBroken = ({ violations }: SimDay): boolean => violations.length > 0;

const rowOf = (day: SimDay, asset: string): readonly string[] => [
  String(day.seed),
  dayText(day.startMs),
  day.withoutFaults.toFixed(usualDigits(asset)),
  day.withFaults.toFixed(usualDigits(asset)),
  day.cost.toFixed(usualDigits(asset)),
  String(day.orders),
  String(day.unknown),
  String(day.restarts),
  isBroken(day) ? String(day.violations.length) : '-',
];

function costText(cost: Decimal, asset: string): string {
  if (cost.isZero()) return 'cost nothing';
  const amount = `${cost.abs().toFixed(usualDigits(asset))} ${asset}`;
  return cost.isNegative() ? `have gained ${amount}` : `cost ${amount}`;
}

function brokenLines(days: readonly SimDay[]): readonly string[] {
  const all = days.flatMap((day) => day.violations.map((violation) => ({ seed: day.seed, ...violation })));
  if (all.length === 0) return [`  nothing is broken on ${counted(days.length, 'day')}`];
  return [
    '',
    '  broken',
    ...all.flatMap(({ seed, rule, timeMs, text, isInPeace }) =>
      wrapped(
        `seed ${seed}, ${formatTime(timeMs).slice(0, 19).replace('T', ' ')}${isInPeace ? ', also without faults' : ''}: ${rule}: ${text}`,
        COLUMNS - 4,
      ).map((line) => `    ${line}`),
    ),
  ];
}
