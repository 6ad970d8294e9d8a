// Output of `isobar sim` for people: a table of days, the worst day, and the broken rules. At most 100 columns.

import { formatTime } from '../../model/time.ts';
import type { Decimal } from '../../base/number/decimal.ts';
import { counted, dayText, usualDigits } from '../../base/text/format.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import type { SimDay, SimReport } from '../../worlds/simulate.ts';
import { alignedTable } from '../terminal/tables.ts';
import { wrapText } from '../terminal/wrapText.ts';

/** Maximum number of days in the table. */
const MAX_ROWS = 40;

/** Returns the report as text without a final line break. The table has the days with broken rules first, then the most expensive ones. */
export function simText({ name, asset, notes, days, worst, hash }: SimReport, file: string): string {
  const lines = [
    ...withLead('  ', `${name}, ${counted(days.length, 'day')} of faults, each beside the same day without`),
    ...notes.flatMap((note) => withLead('  ', note)),
    '',
  ];
  const listed = new Set(days.toSorted(compareImportance).slice(0, MAX_ROWS));
  const head = ['seed', 'day', 'without', 'with faults', 'cost', 'orders', 'unknown', 'restarts', 'broken'];
  const rows = days.filter((day) => listed.has(day)).map((day) => dayRow(day, asset));
  lines.push(...alignedTable(head, rows, 'rlrrrrrrr').map((line) => `  ${line}`));
  if (listed.size < days.length) lines.push(`  and ${counted(days.length - listed.size, 'day')} whose faults cost less`);
  const total = days.reduce((sum, { cost }) => sum.plus(cost), worst.cost.times(0));
  const orders = days.reduce((sum, day) => sum + day.orders, 0);
  lines.push('', ...withLead('  ', `all days: the faults ${costText(total, asset)}; hash ${hash}`));
  if (orders === 0)
    lines.push(...withLead('  ', 'no order was sent on any of these days: simulate more days, or a definition that trades more often'));
  else if (worst.cost.greaterThan(0))
    lines.push(
      ...withLead('  ', `the worst day: seed ${worst.seed}, ${dayText(worst.startMs)}, on which they ${costText(worst.cost, asset)}`),
    );
  const daysWithStops = days.flatMap(({ naked }) => naked ?? []);
  if (daysWithStops.length > 0) {
    const minutes = daysWithStops.reduce((sum, { withFaults }) => sum + withFaults, 0);
    const dayCount = counted(daysWithStops.length, 'day');
    lines.push(...withLead('  ', `positions without their stop: ${counted(minutes, 'minute')} on ${dayCount} with stops`));
  }
  lines.push(...brokenLines(days));
  const replayedDay = days.find(isBroken) ?? worst;
  lines.push('', `  to see all events of that day: ${repeatCommand(file, replayedDay.seed)}`);
  return lines.join('\n');
}

/** Returns the command that prints all events of a day. */
export const repeatCommand = (file: string, seed: number): string => `isobar sim ${shellWord(file)} --seed ${seed} --loud`;

const isBroken = ({ violations }: SimDay): boolean => violations.length > 0;

/** Sorts days with broken rules first, then by the amount that the faults cost or gained. */
function compareImportance(a: SimDay, b: SimDay): number {
  return Number(isBroken(b)) - Number(isBroken(a)) || b.cost.abs().comparedTo(a.cost.abs());
}

/** Returns the cells of a day. */
const dayRow = (day: SimDay, asset: string): readonly string[] => [
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

/** Returns the cost of the faults as the end of a sentence. Faults can also gain money. */
function costText(cost: Decimal, asset: string): string {
  if (cost.isZero()) return 'cost nothing';
  const amount = `${cost.abs().toFixed(usualDigits(asset))} ${asset}`;
  return cost.isNegative() ? `have gained ${amount}` : `cost ${amount}`;
}

/** Returns every broken rule with its day and time. */
function brokenLines(days: readonly SimDay[]): readonly string[] {
  const violations = days.flatMap((day) => day.violations.map((violation) => ({ seed: day.seed, ...violation })));
  if (violations.length === 0) return [`  nothing is broken on ${counted(days.length, 'day')}`];
  const lines = violations.flatMap(({ seed, rule, timeMs, text, isWithoutFaults }) => {
    const time = formatTime(timeMs).slice(0, 19).replace('T', ' ');
    return wrapText(`seed ${seed}, ${time}${isWithoutFaults ? ', also without faults' : ''}: ${rule}: ${text}`, COLUMNS - 4);
  });
  return ['', '  broken', ...lines.map((line) => `    ${line}`)];
}
