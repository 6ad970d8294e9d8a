// Writes the trust strip of a sweep report: what could make the best set look better than it is.

import { wholeText, counted, NO_VALUE, percent } from '../../base/text/format.ts';
import { warningText } from '../../model/warning.ts';
import type { Markup } from '../page/markup.ts';
import { trustStrip, type Chip } from '../page/firstScreen.ts';
import { figureAt, type SweepRecord } from './figures/record.ts';
import { MIN_DEFLATED_SHARPE, MIN_SET_DAYS, MIN_SET_TRADES, outcomeText, type Findings } from './findings.ts';
import type { SweepReportInput } from './input.ts';

/** Returns the trust strip: sets, trials, deflated Sharpe, sample, and the warnings. */
export function sweepTrustStrip({ record, findings }: SweepReportInput): Markup {
  const chips = [setsChip(record, findings), ...selectionBiasChips(findings.selectionBias), ...sampleChips(record, findings.best)];
  return trustStrip(chips, findings.warnings.map(warningText));
}

/** Returns the chip about the sets: how many ran, and whether they are the whole grid. */
function setsChip(record: SweepRecord, findings: Findings): Chip {
  const { refused, failed } = findings;
  const isSampled = record.gridSize > record.sets;
  const failedHref = failed.length > 0 ? 'failed' : 'map-section';
  return {
    label: 'sets',
    text: outcomeText(findings),
    note: isSampled
      ? `Drawn from the ${counted(record.gridSize, 'combination')} of the grid by the seed of the definition.`
      : 'Every combination of the grid.',
    href: refused.length > 0 ? 'refused' : failedHref,
    isWarning: failed.length > 0,
  };
}

/** Returns the chips about the number of trials, and how likely the best of them is more than luck. */
function selectionBiasChips(selectionBias: Findings['selectionBias']): readonly Chip[] {
  return [
    {
      label: 'trials',
      text: trialsText(selectionBias),
      note: trialsNote(selectionBias),
      href: 'chance',
      isWarning: false,
    },
    {
      label: 'deflated Sharpe',
      text: selectionBias.deflated === null ? NO_VALUE : percent(selectionBias.deflated, 1),
      note: 'Probability that the true Sharpe ratio of the best set is above what the best of as many trials without skill would show.',
      href: 'chance',
      isWarning: selectionBias.deflated === null || selectionBias.deflated < MIN_DEFLATED_SHARPE,
    },
  ];
}

/** Returns the chips about the size of the sample of the set `best`, and about bars that no set has seen. */
function sampleChips(record: SweepRecord, best: number | null): readonly Chip[] {
  const days = figureAt(record, 'days', best);
  const trades = figureAt(record, 'trades', best);
  return [
    {
      label: 'sample',
      text: `${counted(trades, 'trade')}, ${counted(days, 'day')}`,
      note: `Closed trades and daily returns of the best set. Below ${MIN_SET_TRADES} trades or ${MIN_SET_DAYS} days its figures say little.`,
      href: 'best',
      isWarning: !(trades >= MIN_SET_TRADES && days >= MIN_SET_DAYS),
    },
    {
      label: 'out of sample',
      text: 'not tested',
      note: 'Every set saw the same bars. Keep a range of time that no sweep has touched, and run the set that you choose on it once.',
      href: 'chance',
      isWarning: true,
    },
  ];
}

/** Returns the number of trials behind the best set: all, those of earlier runs, and those of all families if they are more. */
function trialsText({ trials, earlier, allTrials }: Findings['selectionBias']): string {
  const earlierText = earlier > 0 ? `, ${wholeText(earlier)} earlier` : '';
  const familiesText = allTrials > trials ? ` (${wholeText(allTrials)} of all families)` : '';
  return `${wholeText(trials)}${earlierText}${familiesText}`;
}

/** Returns the note that says what counts as a trial. */
function trialsNote({ family, allTrials }: Findings['selectionBias']): string {
  const familyText = family === null ? 'without a family' : `of the family ${family}`;
  const seen = `Different runs and sets ${familyText} that the ledger has seen on these bars, whatever strategy made them`;
  return `${seen}; ${wholeText(allTrials)} with those of all families. The more are tried, the better the best one looks by chance.`;
}
