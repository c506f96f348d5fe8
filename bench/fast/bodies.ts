import { temporaryFile } from '../captured.ts';
import { type ServerProcess, startServer } from '../child.ts';
import { cpuTime } from '../cpu-time.ts';
import type { Figure } from '../figures/figure.ts';
import { load } from '../load.ts';
import { inTurns } from '../turns.ts';
import { trickFigures } from './ways.ts';

const ROUNDS = 7;
const ROUND_MS = 500;

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
  const answer = temporaryFile({ headers, body });
  const start = (kind: Kind) =>
    startServer({
      program: 'bench/servers/bytes.ts',
      env: { ANSWER: answer, AS: kind },
      port: 'PORT',
      ready: '/',
    });
  const servers = [await start(trick), await start(trick === 'text' ? 'bytes' : 'text')];
  const measure = async ({ pid, port }: ServerProcess) => {
    const before = cpuTime(pid);
    const { requests } = await load({ port, paths: ['/'], connections: 8, durationMs: ROUND_MS });
    const after = cpuTime(pid);
    return (after.user + after.system - before.user - before.system) / requests;
  };
  // The first round is a warm-up.
  await inTurns(servers, 1, measure);
  const [own = [], plain = []] = await inTurns(servers, ROUNDS, measure);
  for (const server of servers) await server.stop();
  return trickFigures(file, instead, own, plain);
}
