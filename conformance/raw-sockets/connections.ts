import { answers, type Case, ended, kept, message, refused } from './case.ts';
import type { Target } from './framing.ts';

const GET = kept('GET /healthz HTTP/1.1');
const LAST = message('GET /healthz HTTP/1.1');

/**
 * Length of the slow cases, in ms: three times the longest limit of `docs/configuration.md`. A client that
 * drips as long, and is not shown the door, has found no limit.
 */
const SLOW_PATIENCE = 180_000;

/** Requests one after the other, connections that are half closed, and those that are slow. */
export function connections(target: Target): Case[] {
  return [...pipelines(target), ...halves(target), ...slow(target)];
}

function pipelines({ path, status }: Target): Case[] {
  const post = kept(`POST ${path} HTTP/1.1`, ['Content-Type: application/json', 'Content-Length: 2'], '{}');
  return [
    { name: '50 requests at once', pieces: [`${GET.repeat(49)}${LAST}`], due: answers(Array(50).fill(200)) },
    { name: 'a request in single bytes', pieces: [...LAST], pauseMs: 1, due: answers([200]) },
    { name: 'a request after a malformed one', pieces: [`FOO\r\n\r\n${GET}`], due: refused() },
    {
      name: 'a malformed one after a request',
      pieces: [`${GET}FOO\r\n\r\n${GET}`],
      due: answers([200, 400], [200]),
    },
    { name: 'a request after one that closes', pieces: [`${LAST}${GET}`], due: answers([200]) },
    {
      name: 'a POST between reads',
      pieces: [`${GET}${post}${LAST}`],
      due: answers([200, status, 200], [200, status]),
    },
    { name: 'HEAD between reads', pieces: [`${GET}${LAST}`], due: answers([200, 200]) },
    {
      name: 'an expectation that nobody has heard of',
      pieces: [message('GET /healthz HTTP/1.1', ['Expect: tea'])],
      due: answers([417], [200]),
    },
    {
      name: 'CONNECT',
      pieces: [kept('CONNECT site.example:443 HTTP/1.1')],
      due: {
        what: 'a refusal or the end',
        holds: ({ statuses, closed }) => closed && statuses.every((s) => s >= 400),
      },
    },
    {
      name: 'a body over the limit, and a request behind it',
      pieces: [
        kept(`POST ${path} HTTP/1.1`, ['Content-Type: application/json', 'Content-Length: 99999999'], GET),
      ],
      due: answers([status], [413]),
    },
  ];
}

function halves({ path }: Target): Case[] {
  return [
    { name: 'a request, and the sending half closed', pieces: [GET], ends: true, due: answers([200]) },
    {
      name: '10 requests, and the sending half closed',
      pieces: [GET.repeat(10)],
      ends: true,
      due: answers(Array(10).fill(200)),
    },
    { name: 'nothing, and the sending half closed', pieces: [''], ends: true, due: ended() },
    {
      name: 'half a request line, and the sending half closed',
      pieces: ['GET /hea'],
      ends: true,
      due: ended(),
    },
    {
      name: 'half a head, and the sending half closed',
      pieces: ['GET / HTTP/1.1\r\nHost: a\r\nX'],
      ends: true,
      due: ended(),
    },
    {
      name: 'half a body, and the sending half closed',
      pieces: [kept(`POST ${path} HTTP/1.1`, ['Content-Type: application/json', 'Content-Length: 9'], '{')],
      ends: true,
      due: {
        what: 'the end of the connection, with a refusal or nothing',
        holds: ({ statuses, closed }) => closed && statuses.every((status) => status >= 400 && status < 500),
      },
    },
  ];
}

/** Slow ones: they wait for the limits of `docs/configuration.md`, all in parallel. */
function slow({ path, status }: Target): Case[] {
  const head = kept(`POST ${path} HTTP/1.1`, ['Content-Type: application/json', 'Content-Length: 5000']);
  const drip = Array(SLOW_PATIENCE / 1000).fill('a');
  const patienceMs = SLOW_PATIENCE;
  const headers = ended();
  return [
    { name: 'a head that stops', pieces: ['GET /healthz HTTP/1.1\r\nHost: a\r\n'], patienceMs, due: headers },
    {
      name: 'a head that drips',
      pieces: ['GET /healthz HTTP/1.1\r\nX: ', ...drip],
      pauseMs: 1000,
      patienceMs,
      due: headers,
    },
    { name: 'a request line that stops', pieces: ['GET /heal'], patienceMs, due: headers },
    {
      name: 'empty lines alone',
      pieces: Array(SLOW_PATIENCE / 1000).fill('\r\n'),
      pauseMs: 1000,
      patienceMs,
      due: ended(),
    },
    {
      name: 'a body that drips',
      pieces: [head, ...drip],
      pauseMs: 1000,
      patienceMs,
      due: {
        what: `${status} or 408, and the end`,
        holds: ({ statuses, closed }) => closed && statuses.every((s) => [status, 400, 408].includes(s)),
      },
    },
  ];
}
