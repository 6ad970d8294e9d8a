// What the schema allows at a path: the keys of a map, and whether a value is text.

import { z } from 'zod';
import { definitionSchema } from './schema.ts';
import type { KeyPath } from './source.ts';

type Schema = z.core.$ZodType;

/** Returns the keys that a map at `path` may have; empty if any name is allowed. */
export function keysAt(path: KeyPath, top: Schema = definitionSchema): readonly string[] {
  return schemasAt(path, top).flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
}

/** True when the definition expects text there, such as a quoted decimal, and no number. */
export function wantsText(path: KeyPath): boolean {
  const schemas = schemasAt(path, definitionSchema);
  return schemas.some((schema) => schema instanceof z.ZodString) && !schemas.some((schema) => schema instanceof z.ZodNumber);
}

function schemasAt(path: KeyPath, top: Schema): readonly Schema[] {
  let schemas = unwrap(top);
  for (const key of path) schemas = schemas.flatMap((schema) => below(schema, String(key))).flatMap(unwrap);
  return schemas;
}

function below(schema: Schema, key: string): readonly Schema[] {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, key) ? [schema.shape[key]] : [];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  return [];
}

function unwrap(schema: Schema): readonly Schema[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  return [schema];
}
