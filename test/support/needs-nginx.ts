import { beforeEach } from 'vitest';
import { NO_NGINX } from './no-nginx.ts';
import { hasNginx } from './proxy.ts';

/** Leaves the tests of a file out where there is no nginx; in CI, which installs one, they fail instead. */
export function needsNginx(): void {
  beforeEach(({ skip }) => {
    if (!hasNginx && process.env.CI) throw new Error(`This test ${NO_NGINX}`);
    skip(!hasNginx, NO_NGINX);
  });
}
