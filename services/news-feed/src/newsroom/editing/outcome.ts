/** What has become of a record that was written. */
export type Outcome = 'created' | 'changed' | 'unchanged';
