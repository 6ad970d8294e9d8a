// Loads the technicalindicators package. The import takes 35 ms, so it happens only if a registered indicator needs the package.

/** The module of the package, from `loadTechnicalLibrary` to `IndicatorSet.seal`. */
export type TechnicalLibrary = typeof import('technicalindicators');

/** Imports the package. Its `setConfig` is never called, because it would change the results of every user in the process. */
export const loadTechnicalLibrary = () => import('technicalindicators');
