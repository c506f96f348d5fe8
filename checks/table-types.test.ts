import { expect, test } from 'vitest';
import { tablesOf } from './table-types.ts';

const COLUMN = {
  table: 'news.report',
  isRequired: true,
  hasDefault: false,
  isComputed: false,
  checks: [],
};

test('a column has the type that the driver reads, of the values that its check allows', () => {
  const state = "CHECK (((state = ANY (ARRAY['draft'::text, 'out'::text])) AND (at IS NOT NULL)))";
  const columns = [
    { ...COLUMN, name: 'id', type: 'bigint', isComputed: true },
    { ...COLUMN, name: 'state', type: 'text', hasDefault: true, checks: [state] },
    { ...COLUMN, name: 'at', type: 'timestamp with time zone', isRequired: false, checks: [state] },
    { ...COLUMN, name: 'day', type: 'date' },
    { ...COLUMN, name: 'tags', type: 'text[]' },
    { ...COLUMN, name: 'body', type: 'jsonb', isRequired: false },
    { ...COLUMN, table: 'content.article', name: 'id', type: 'integer' },
  ];
  expect(tablesOf(columns, 'news')).toContain(`export interface Columns {
  'news.report': {
    id: GeneratedAlways<number>;
    state: Generated<('draft' | 'out')>;
    at: Date | null;
    day: ColumnType<Date, string, string>;
    tags: string[];
    body: ColumnType<unknown | null, string | null | undefined, string | null>;
  };
}
`);
});

test('a check that allows a value only sometimes is no type', () => {
  const checks = ["CHECK (((place IS NULL) OR (scope = ANY (ARRAY['write'::text]))))"];
  expect(tablesOf([{ ...COLUMN, name: 'scope', type: 'text', checks }], 'news')).toContain('scope: string;');
});

test('a type that is not known is named', () => {
  expect(() => tablesOf([{ ...COLUMN, name: 'place', type: 'point' }], 'news')).toThrow(
    /lacks the type point/,
  );
});
