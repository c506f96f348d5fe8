import { temporaryFile } from '../bare.ts';
import { slicesOf } from '../compare.ts';
import type { Figure } from '../figures/figure.ts';
import { load } from '../load.ts';
import { startServer } from '../server.ts';
import { ROUNDS, trickFigures } from './ways.ts';

/** What a body is sent as. */
type Kind = 'text' | 'bytes';

const ASCII = 'An article about news, and more of it. ';
const CHINESE = '一篇文章，讲的是新闻，以及更多的新闻。';

/** Bodies that are sent as text because they are short, and as bytes because they are not. */
export async function measureBodies(): Promise<Figure[]> {
  return [
    ...(await compareKinds('entity-tag.ts', 'sending 2 KiB of ASCII as bytes', ASCII.repeat(50), 'text')),
    ...(await compareKinds(
      'entity-tag.ts, bytes',
      'sending 8 KiB of Chinese as text',
      CHINESE.repeat(140),
      'bytes',
    )),
    ...(await compareKinds('reply-json.ts', 'sending 512 KiB as text', ASCII.repeat(13_000), 'bytes')),
  ];
}

/** The CPU time of an answer whose body is sent in two ways, by a server for each, in turns. */
async function compareKinds(file: string, instead: string, body: string, trick: Kind): Promise<Figure[]> {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  };
  const ANSWER = temporaryFile({ headers, body });
  const start = (AS: Kind) => startServer({ program: 'bench/servers/bytes.ts', env: { ANSWER, AS } });
  await using own = await start(trick);
  await using plain = await start(trick === 'text' ? 'bytes' : 'text');
  const servers = [own, plain].map((process) => {
    const asked = { port: process.port, requests: [{ path: '/' }], connections: 8 };
    return { subject: '', process, ask: (durationMs: number) => load({ ...asked, durationMs }) };
  });
  const slices = await slicesOf(servers, { rounds: ROUNDS, roundMs: 500, warmUpMs: 500 });
  const [tried = [], other = []] = slices.map((rounds) => rounds.map(({ user, system }) => user + system));
  return trickFigures(file, instead, tried, other);
}
