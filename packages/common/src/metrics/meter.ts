/** A value of a {@link Meter}. */
interface Reading {
  value: number;
  labels?: Readonly<Record<string, string>>;
}

/** A figure of the service that is computed whenever the metrics are read. */
export interface Meter {
  /** As Prometheus names metrics: a counter ends with `_total`. */
  name: string;
  help: string;
  /** A counter only grows until the process ends; a gauge is a state. */
  kind: 'counter' | 'gauge';
  labels?: readonly string[];
  /** Its values now. If it fails, the metric is left out until it succeeds again. */
  read: () => readonly Reading[] | Promise<readonly Reading[]>;
}
