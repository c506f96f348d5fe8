import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ConditionalAnswer, LoadedDocument, LoadedValue } from './conditional.ts';

interface Json {
  response: { 200: z.ZodObject<{ count: z.ZodInt }>; 404: z.ZodString };
}

interface Feed {
  response: { 200: { description: string; content: object } };
}

type Load<Schema> = ConditionalAnswer<Schema>['load'];

test('a route loads what its schema of 200 describes, and nothing else compiles', () => {
  expectTypeOf<Load<Json>>().returns.resolves.toEqualTypeOf<LoadedValue<{ count: number }>>();
  expectTypeOf<() => Promise<{ value: { nonsense: number } }>>().not.toExtend<Load<Json>>();
  expectTypeOf<() => Promise<{ value: string }>>().not.toExtend<Load<Json>>();
  expectTypeOf<() => Promise<{ count: number }>>().not.toExtend<Load<Json>>();
});

test('a route of another media type loads a written document', () => {
  expectTypeOf<Load<Feed>>().returns.resolves.toEqualTypeOf<LoadedDocument>();
  expectTypeOf<() => Promise<{ value: object }>>().not.toExtend<Load<Feed>>();
});
