// The tools whose figures a profile can show, by the names that `isobar report --as` takes.

export const PROFILE_NAMES = ['quantstats', 'empyrical', 'backtesting.py', 'vectorbt', 'freqtrade', 'nautilus'] as const;

export type ProfileName = (typeof PROFILE_NAMES)[number];
