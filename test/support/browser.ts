import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { beforeEach } from 'vitest';
import { NO_BROWSER } from './no-browser.ts';

interface FoundBrowser {
  readonly executablePath: string;
  /** Variables that it needs besides those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Names of browsers on the PATH. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Paths on macOS. */
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Folder for the browser that npm brings, unpacked once for each version. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/pressroom', import.meta.url));

/** Time for a browser to start on a machine that does other things, in ms. */
const START_MS = 180_000;

/**
 * Starts a browser: the one that `CHROMIUM` names, else the one that npm brings (Linux on x64), else an
 * installed one. Undefined where there is none, which is an error in CI; {@link skipWithout} then leaves the
 * tests out.
 */
export async function launchBrowser(): Promise<Browser | undefined> {
  const found = await findBrowser();
  if (found === undefined) {
    if (process.env.CI) throw new Error(`This test ${NO_BROWSER}`);
    console.warn(`Left out: what ${NO_BROWSER}`);
    return undefined;
  }
  const env = { ...definedOf(process.env), ...found.env };
  return chromium.launch({ executablePath: found.executablePath, env, args: FLAGS, timeout: START_MS });
}

/** Leaves out the tests of the file, or of the `describe` around it, when `browser` returns undefined. */
export function skipWithout(browser: () => Browser | undefined): void {
  beforeEach(({ skip }) => skip(browser() === undefined, NO_BROWSER));
}

async function findBrowser(): Promise<FoundBrowser | undefined> {
  if (process.env.CHROMIUM) return { executablePath: process.env.CHROMIUM, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked();
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const file of [...onPath, ...APPLICATIONS]) {
    if (await isProgram(file)) return { executablePath: file, env: {} };
  }
  return undefined;
}

/** The browser of the package, with the libraries that a machine without a desktop lacks. */
async function unpacked(): Promise<FoundBrowser> {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
  const home = join(CACHE, `chromium-${version}-with-fonts`);
  if (!(await isProgram(join(home, 'chromium')))) await unpack(home);
  return {
    executablePath: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_PATH: join(home, 'fonts') },
  };
}

/**
 * Unpacks the browser under its name only when it is whole: another test file may do so at the same time. The
 * package unpacks to the temporary directory, with its libraries only where it believes to be in Amazon's
 * cloud.
 */
async function unpack(home: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${home}.`);
  const program = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  });
  await writeFile(join(partial, 'fonts', 'fonts.conf'), fontsOf(home));
  try {
    await rename(partial, home);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (!(await isProgram(join(home, 'chromium')))) throw error;
  }
}

/** Folder of the package's fonts: it looks for them in /tmp, and a browser without any font crashes. */
function fontsOf(home: string): string {
  const escaped = home.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${escaped}/fonts/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${escaped}/font-cache</cachedir></fontconfig>
`;
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
