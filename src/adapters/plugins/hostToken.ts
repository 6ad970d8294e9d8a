// The package's own doors in a bundle, before their addresses take their place: no author's text holds them by accident.

/** The door `isobar`. */
export const HOST_TOKEN = 'isobar:host';
/** The door `isobar/compose`. */
export const COMPOSE_TOKEN = 'isobar:compose';
