/**
 * The environment of PostgreSQL's programs: without the starter's own settings (`PGDATA`, `PGOPTIONS` and the
 * like would change their behavior), and with messages in English, because they are parsed.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SYSTEMROOT } = process.env;
  return { PATH, TMPDIR, SYSTEMROOT, LC_ALL: 'C' };
}
