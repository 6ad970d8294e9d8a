// Tests that the types of the figures list every figure, so that an editor shows all of them.

import { expectTypeOf, test } from 'vitest';
import type { Figures } from './figures.ts';
import type { MetricName } from './metrics.ts';

test('the type Figures has exactly the names of all figures (checked by the compiler)', () =>
  expectTypeOf<keyof Figures>().toEqualTypeOf<MetricName>());
