import type { ColumnType, InsertType, UpdateType } from 'kysely';

/**
 * Tables whose columns have the types that the database gives, but for those in `Types`, by table and column:
 * a type that is read, or a `ColumnType` that says all.
 */
export type WithTypes<Tables, Types> = {
  [Table in keyof Tables]: Table extends keyof Types
    ? {
        [Name in keyof Tables[Table]]: Name extends keyof Types[Table]
          ? Typed<Tables[Table][Name], Types[Table][Name]>
          : Tables[Table][Name];
      }
    : Tables[Table];
};

/** Tables of which those in `Names` have the columns of the first, which they share. */
export type Alike<Tables, Names extends readonly (keyof Tables)[]> = {
  [Table in keyof Tables]: Table extends Names[number] ? Tables[Names[0]] : Tables[Table];
};

type Typed<Column, Type> = [Type] extends [ColumnType<unknown, unknown, unknown>]
  ? Type
  : ColumnType<Type, InsertType<Column>, UpdateType<Column>>;
