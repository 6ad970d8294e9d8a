// Names of the tools whose figures `isobar report --as` can show.

/** The names in the order of the help text. */
export const PROFILE_NAMES = ['quantstats', 'empyrical', 'backtesting.py', 'vectorbt', 'freqtrade', 'nautilus'] as const;

/** One of these tools. */
export type ProfileName = (typeof PROFILE_NAMES)[number];
