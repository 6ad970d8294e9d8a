// Tokens that stand for isobar's entry points in a bundle until their addresses replace them. No author's text contains them by accident.

/** The entry point `isobar`. */
export const HOST_TOKEN = 'isobar:host';
/** The entry point `isobar/compose`. */
export const COMPOSE_TOKEN = 'isobar:compose';
