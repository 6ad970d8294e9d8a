// Finds out what the schema of a definition allows at a path: the keys of a map, or text.

import { z } from 'zod';
import { definitionSchema } from './schema.ts';
import type { KeyPath } from './source.ts';

type Schema = z.core.$ZodType;

/** Returns the valid keys of the map at `path`; an empty list if every name is valid. */
export function keysAt(path: KeyPath, root: Schema = definitionSchema): readonly string[] {
  return schemasAt(path, root).flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
}

/** True when the value at `path` must be text, such as a quoted decimal, and not a number. */
export function wantsText(path: KeyPath): boolean {
  const schemas = schemasAt(path, definitionSchema);
  return schemas.some((schema) => schema instanceof z.ZodString) && !schemas.some((schema) => schema instanceof z.ZodNumber);
}

/** Returns the schemas that a value at `path` may have: several for a union, none for a path that `root` does not allow. */
function schemasAt(path: KeyPath, root: Schema): readonly Schema[] {
  let schemas = unwrap(root);
  for (const key of path) schemas = schemas.flatMap((schema) => memberSchemas(schema, String(key))).flatMap(unwrap);
  return schemas;
}

/** Returns the schema of the member `key` of a map or list; an empty list if `schema` has no such member. */
function memberSchemas(schema: Schema, key: string): readonly Schema[] {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, key) ? [schema.shape[key]] : [];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  return [];
}

/** Returns the schemas inside optional, nullable and union schemas. */
function unwrap(schema: Schema): readonly Schema[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  return [schema];
}
