// Computes the profile of a run: the figures of another tool by its own definitions, each beside the figure of isobar.

import type { Summary } from '../summary/summary.ts';
import { backtestingFigures } from './tools/backtestingPy.ts';
import { empyricalFigures } from './tools/empyrical.ts';
import { profileFigure, type FigureDefinition, type ProfileFigure } from './figures/figure.ts';
import { freqtradeFigures } from './tools/freqtrade.ts';
import type { ProfileInput } from './figures/profileInput.ts';
import type { ProfileName } from './names.ts';
import { nautilusFigures } from './tools/nautilus.ts';
import { quantstatsFigures } from './tools/quantstats.ts';
import { vectorbtFigures } from './tools/vectorbt.ts';

/** A tool whose figures a profile can show. */
interface ProfiledTool {
  /** The package whose figures these are. */
  readonly packageName: string;
  readonly version: string;
  /** The parts of the run that the tool would take, in words. */
  readonly input: string;
  readonly figures: (input: ProfileInput) => FigureDefinition[];
}

const DAILY =
  'r: the daily returns of the run (metrics.dailyReturns), by UTC day, days without trades included; n: their number; b: those of buy-and-hold';
const CLOSED = 'p: the net results of the closed trades (trades.csv)';

/** The tools by the names that `--as` takes. */
export const FIGURE_PROFILES: Readonly<Record<ProfileName, ProfiledTool>> = {
  quantstats: { packageName: 'quantstats', version: '0.0.81', input: DAILY, figures: quantstatsFigures },
  empyrical: { packageName: 'empyrical-reloaded', version: '0.7.1', input: DAILY, figures: empyricalFigures },
  'backtesting.py': {
    packageName: 'backtesting',
    version: '0.6.6',
    input:
      'equity and close of each bar (equity.arrow, by the open of the bar), and the closed trades (trades.csv); r: daily returns of that equity',
    figures: backtestingFigures,
  },
  vectorbt: {
    packageName: 'vectorbt',
    version: '1.1.0',
    input: `${DAILY}; pnl: the net results of the closed trades (trades.csv)`,
    figures: vectorbtFigures,
  },
  freqtrade: {
    packageName: 'freqtrade',
    version: '2024.10',
    input: `${CLOSED}, profit ratios on the entry notional; S: the starting equity`,
    figures: freqtradeFigures,
  },
  nautilus: {
    packageName: 'nautilus_trader',
    version: '1.231.0',
    input: `${DAILY}; pnl: the net results of the closed trades (trades.csv)`,
    figures: nautilusFigures,
  },
};

/** The profile as it is printed. */
export interface FigureProfile {
  readonly as: ProfileName;
  readonly package: string;
  readonly version: string;
  readonly input: string;
  readonly figures: readonly ProfileFigure[];
}

/** Returns the profile of a run. */
export function figureProfileOf(name: ProfileName, input: ProfileInput, summary: Summary): FigureProfile {
  const { packageName, version, input: inputText, figures } = FIGURE_PROFILES[name];
  return {
    as: name,
    package: packageName,
    version,
    input: inputText,
    figures: figures(input).map((figure) => profileFigure(figure, summary)),
  };
}
