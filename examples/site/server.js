// Shows the built site, and builds it again when Pressroom says that something has changed.
import { spawn } from 'node:child_process';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { contentClient, redirect } from '@pressroom/client';
import { verifyEvent } from '@pressroom/client/hooks';

const { PORT = '4321', PRESSROOM_SECRET, CONTENT_URL, CONTENT_API_KEY } = process.env;

const content = contentClient({
  baseUrl: CONTENT_URL ?? 'http://127.0.0.1:4003',
  // Nobody waits long for the page that says that there is nothing.
  retry: { attempts: 1, patience: 0 },
  ...(CONTENT_API_KEY && { headers: { 'X-API-Key': CONTENT_API_KEY } }),
});

/** How long a build waits for further changes, in ms: an import is many. */
const PAUSE_MS = 500;

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
};

let isBuilding = false;
let isWanted = true;

/** Builds once for all changes that come meanwhile. What is shown stays until the build is whole. */
async function build() {
  isWanted = true;
  if (isBuilding) return;
  isBuilding = true;
  while (isWanted) {
    await delay(PAUSE_MS);
    isWanted = false;
    const astro = spawn('astro', ['build'], {
      stdio: 'inherit',
      env: { ...process.env, OUT_DIR: 'dist-next' },
    });
    const code = await new Promise((resolve) => astro.on('close', resolve).on('error', resolve));
    if (code !== 0) continue;
    await rm('dist-old', { recursive: true, force: true });
    await rename('dist', 'dist-old').catch(() => undefined);
    await rename('dist-next', 'dist');
  }
  isBuilding = false;
}

/** How often the settings of the site are asked for, which make no event, in ms. */
const SETTINGS_MS = 60_000;

let settings;

/** Builds again when the desk has changed the settings, as the feed without articles shows them. */
async function follow() {
  const query = { published_after: '9999-01-01T00:00:00Z' };
  const now = await content.get('/articles/feed.json', { query }).then(JSON.stringify, () => settings);
  if (settings !== undefined && now !== settings) void build();
  settings = now;
}

/** Answers with a built file, else where the address leads, and with no file outside of the site. */
async function show(path, url, response) {
  // Pages are folders, also those whose path has an ending.
  let file = join('dist', path);
  if (extname(path) === '' || (await stat(file).catch(() => undefined))?.isDirectory())
    file = join(file, 'index.html');
  const body = file.startsWith(`dist${sep}`) ? await readFile(file).catch(() => undefined) : undefined;
  const answer = body ? undefined : await answerOf(url);
  response.writeHead(body ? 200 : (answer?.status ?? 404), {
    'content-type': TYPES[body ? extname(file) : '.html'] ?? 'text/plain',
    ...(answer?.location && { location: answer.location }),
  });
  response.end(body ?? (await readFile('dist/404.html').catch(() => 'The site is being built.')));
}

/** What Pressroom says about an address without a page; nothing where it cannot be asked. */
async function answerOf(url) {
  const found = await redirect(content, url).catch(() => undefined);
  return found?.answer ?? undefined;
}

createServer(async (request, response) => {
  const url = request.url ?? '/';
  const { pathname = '/', searchParams } = URL.parse(url, 'http://site') ?? {};
  // An article under its address with the token of a preview, as the desk opens it.
  if (searchParams?.has('preview')) return show('/preview/', url, response);
  if (pathname !== '/hook') return show(pathname, url, response);
  try {
    const event = verifyEvent(await text(request), request.headers, PRESSROOM_SECRET ?? '');
    if (event.data.cache_tags.length > 0) void build();
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end('not signed by Pressroom');
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`The site is at http://127.0.0.1:${PORT}`));

void follow();
setInterval(follow, SETTINGS_MS);
await build();
