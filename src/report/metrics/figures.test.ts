// The types of the figures list every figure, so an editor shows all of them.

import { expectTypeOf, test } from 'vitest';
import type { Figures } from './figures.ts';
import type { MetricName } from './metrics.ts';

test('every figure is described, and no other (the compiler checks)', () => expectTypeOf<keyof Figures>().toEqualTypeOf<MetricName>());
