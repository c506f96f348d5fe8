/** Why a test that restores a backup is left out, and what to do about it. */
export const NO_POSTGRES_TOOLS =
  'needs pg_dump and pg_restore 18, and they are not on the PATH: install postgresql-client-18';

/** Why a test behind a pooler is left out, and what to do about it. */
export const NO_PGBOUNCER = 'needs PgBouncer, and it is not on the PATH: install pgbouncer';

/** Why the test of the alerts is left out, and what to do about it. */
export const NO_PROMTOOL = 'needs promtool, and it is not on the PATH: install prometheus';

/** Why a test of the chart is left out, and what to do about it. */
export const NO_HELM = 'needs Helm, and it is not on the PATH: install helm';

/** Why the test of the proxy's resolver is left out, and what to do about it. */
export const NO_DNSMASQ = 'needs dnsmasq, and it is not on the PATH: install dnsmasq-base';
