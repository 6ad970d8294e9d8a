// @ts-check
// What the bundler takes for `undici`: the parts that isobar uses. The whole of it (fetch, WebSocket, caches) costs 0.1 s at each start.
// @ts-expect-error The package declares no types for its inner files.
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
// @ts-expect-error As above.
export { default as buildConnector } from 'undici/lib/core/connect.js';
