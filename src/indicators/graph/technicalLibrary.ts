// The technicalindicators package, loaded only when a registered indicator rests on it: its import costs 35 ms.

/** The module of the package, as `loadTechnicalLibrary` gives it and `IndicatorSet.seal` takes it. */
export type TechnicalLibrary = typeof import('technicalindicators');

/** Imports the package. Its `setConfig` is never called: it would change the results of every user in the process. */
export const loadTechnicalLibrary = () => import('technicalindicators');
