// The package's own name in a bundle, before the host's URL takes its place: no author's text holds it by accident.

export const HOST_TOKEN = 'isobar:host';
