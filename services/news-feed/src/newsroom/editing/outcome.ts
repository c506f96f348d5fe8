/** The outcome of writing a record. */
export type Outcome = 'created' | 'changed' | 'unchanged';
