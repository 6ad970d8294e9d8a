// Builds dist when the compiler is installed; says so and does nothing when it is not (as under `npm ci --omit=dev`).
import { existsSync } from 'node:fs';
import { execSync } from 'node:child_process';

if (existsSync('node_modules/@typescript/native')) execSync('node build/build.mjs --no-check', { stdio: 'inherit' });
else console.log('isobar: the TypeScript compiler is not installed, so dist is left as it is (install without --omit=dev to build)');
