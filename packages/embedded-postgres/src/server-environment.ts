/**
 * What PostgreSQL's programs see of the environment: nothing of the starter's own settings (`PGDATA`,
 * `PGOPTIONS` and the like would change what they do), and messages in English, as they are read.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SYSTEMROOT } = process.env;
  return { PATH, TMPDIR, SYSTEMROOT, LC_ALL: 'C' };
}
