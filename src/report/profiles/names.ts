// The tools whose figures a profile can show, by the names that `isobar report --as` takes.

/** The tools whose figures `isobar profile` can show. */
export const PROFILE_NAMES = ['quantstats', 'empyrical', 'backtesting.py', 'vectorbt', 'freqtrade', 'nautilus'] as const;

/** One of these tools. */
export type ProfileName = (typeof PROFILE_NAMES)[number];
