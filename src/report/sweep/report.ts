// Writes report.html of a sweep: one file that shows the map, the plateau and the selection bias without network access.

import { writeFile } from 'node:fs/promises';
import { html, scriptJson, scriptElement } from '../page/markup.ts';
import { pageScript } from '../page/pageCode.ts';
import { exactStep, Pack, maxAbsoluteOf } from '../page/pack.ts';
import { keyList, packedScripts, scopedScript, shell } from '../page/shell.ts';
import { STYLE } from '../page/style.ts';
import { entryOf } from './findings.ts';
import { OUTCOMES, type SetOutcomeKind, type SweepPage } from './page/wire.ts';
import {
  bestSetsSection,
  selectionBiasSection,
  sweepHead,
  mapSection,
  sweepProvenance,
  refusalsSection,
  sweepTitle,
  sweepCards,
  PICTURES,
} from './sections.ts';
import { sweepTrustStrip } from './trust.ts';
import { SWEEP_STYLE } from './style.ts';
import type { SweepReportInput } from './input.ts';

/** Decimals of a figure on the page. The files of the run folder have all digits. */
const FIGURE_DIGITS = 6;

/** Writes the report to `path` and replaces an existing file. Rejects with the system error when writing fails. */
export async function writeSweepReport(input: SweepReportInput, path: string): Promise<void> {
  await writeFile(path, await sweepReportText(input));
}

/** Returns the text of the report. */
export async function sweepReportText(input: SweepReportInput): Promise<string> {
  const pack = new Pack();
  const page = pageOf(input, pack);
  const columns = await pack.finish();
  return shell({
    title: `${sweepTitle(input.record)} · isobar sweep`,
    version: input.provenance.versions['isobar'] ?? '',
    style: `${STYLE}${SWEEP_STYLE}`,
    content: html`${sweepHead(input)} ${sweepTrustStrip(input)} ${sweepCards(input)} ${mapSection(input)} ${bestSetsSection(input)}
    ${selectionBiasSection(input)} ${PICTURES} ${refusalsSection(input)} ${sweepProvenance(input)}`,
    afterMain: html`${keyList([
        [html`<kbd>?</kbd>`, 'this list'],
        [html`<kbd>t</kbd>`, 'theme: system, light, dark'],
        [html`<kbd>m</kbd>`, 'go to the map'],
        [html`<kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>`, 'choose a set on the map'],
        [html`<kbd>n</kbd>`, 'each set, or the mean of its neighbours'],
        [html`<kbd>Enter</kbd>`, 'on a row of the table: show its set on the map'],
        [html`<kbd>Esc</kbd>`, 'close'],
      ])}
      <div id="tip" role="tooltip" hidden></div>
      ${scriptElement(scriptJson(page), 'type="application/json" id="page"')} ${scopedScript(pageScript('sweep/page/main'))}
      ${packedScripts(columns)}`,
  });
}

/** Returns the outcome of a set from its two reasons. */
function outcomeOf(refused: string | null, failed: string | null): SetOutcomeKind {
  if (refused !== null) return 'refused';
  return failed === null ? 'ran' : 'failed';
}

/** Returns the data of the page, and adds its columns to `pack`. */
function pageOf({ record, findings, provenance: origin }: SweepReportInput, pack: Pack): SweepPage {
  return {
    asset: record.asset,
    axes: record.axes,
    sets: record.sets,
    places: record.places.map((places) => pack.add(places, 1)),
    outcomes: pack.add(
      Uint8Array.from(record.refused, (reason, set) => OUTCOMES.indexOf(outcomeOf(reason, record.failed[set] ?? null))),
      1,
    ),
    figures: record.figures.map(({ name, values }) => {
      const { label, kind } = entryOf(name);
      return { name, label, kind, values: pack.addDecimals(values, exactStep(maxAbsoluteOf(values), FIGURE_DIGITS), 1) };
    }),
    by: record.by,
    isMoreBetter: record.isMoreBetter,
    best: findings.best,
    plateau: findings.plateau,
    expectedBest: findings.selectionBias.expectedBest,
    command: origin.setCommand,
  };
}
