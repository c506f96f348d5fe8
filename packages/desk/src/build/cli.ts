/** `pnpm page`: builds the gallery's page; quick if nothing has changed. */
import { buildPage } from './build-page.ts';

const started = performance.now();
const built = await buildPage();
if (built && process.stdout.isTTY) {
  console.log(`Built the gallery's page in ${Math.round(performance.now() - started)} ms`);
}
