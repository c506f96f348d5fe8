/** A row as PostgreSQL writes it as JSON, by column. */
export type RowAsJson = Record<string, unknown>;

/** The columns of such a row, with the time of publication as answers have it. */
export function membersOfJson({ published_at, ...rest }: RowAsJson): RowAsJson {
  const time = typeof published_at === 'string' ? new Date(published_at).toISOString() : null;
  return { ...rest, published_at: time };
}
