import { readSecretFiles } from '../start/config.ts';
import { databaseReason } from './database.ts';
import { databaseUrl } from './database-url.ts';
import { grantServiceRoles, SERVICE_ROLES } from './service-roles.ts';

/** The given passwords by role. Throws an error that lists every file that cannot be read. */
function passwordsOf(env: Record<string, string | undefined>): Map<string, string> {
  const names = SERVICE_ROLES.map(({ passwordVariable }) => passwordVariable);
  const { env: given, faults } = readSecretFiles(names, env);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return new Map(
    SERVICE_ROLES.flatMap(({ role, passwordVariable }) => {
      const password = given[passwordVariable];
      return password ? [[role, password] as const] : [];
    }),
  );
}

try {
  const passwords = passwordsOf(process.env);
  const names = SERVICE_ROLES.map(({ passwordVariable }) => passwordVariable).join(', ');
  if (passwords.size === 0) console.log(`No roles to make: none of ${names} is set.`);
  else console.log(`Roles: ${(await grantServiceRoles(databaseUrl(process.env), passwords)).join(', ')}`);
} catch (error) {
  console.error(`Cannot make the services' roles: ${databaseReason(error)}`);
  process.exitCode = 1;
}
