/** Note of a test left out that restores a backup: the reason, and the remedy. */
export const NO_POSTGRES_TOOLS =
  'needs pg_dump and pg_restore 18, and they are not on the PATH: install postgresql-client-18';

/** Note of a test left out that needs a pooler. */
export const NO_PGBOUNCER = 'needs PgBouncer, and it is not on the PATH: install pgbouncer';

/** Note of the test of the alerts, if it is left out. */
export const NO_PROMTOOL = 'needs promtool, and it is not on the PATH: install prometheus';

/** Note of a test left out that renders the chart. */
export const NO_HELM = 'needs Helm, and it is not on the PATH: install helm';

/** Note of the test of the proxy's resolver, if it is left out. */
export const NO_DNSMASQ = 'needs dnsmasq, and it is not on the PATH: install dnsmasq-base';
