/**
 * `pnpm bench news-peers [ITEMS]`: measures the news feed's items next to Fastify with Kysely on the same
 * PostgreSQL, and its selected set, a tenth of the items, next to the `_changes` of CouchDB, which PouchDB
 * Server answers (`docs/peers.md`).
 */
import { Contest } from './contenders/contest.ts';
import { startNewsContest } from './contenders/news.ts';
import { installPeers } from './contenders/peer.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';

/** How many items there are, unless the command line says otherwise. */
const ITEMS = 100_000;

/** How many requests are made at once. */
const CONNECTIONS = [1, 8, 32];

/** A page of 1,000 takes long enough: with more at once, most of the time is the wait for the others. */
const COPIES_AT_ONCE = [1, 8];

installPeers();
const items = Number(process.argv[2] ?? ITEMS);
const contest = new Contest(() => startNewsContest(items));
const parts = contest.parts(
  [
    { what: 'newest 50', connections: CONNECTIONS, choose: ({ newest }) => newest },
    { what: 'next 50 by cursor', connections: CONNECTIONS, choose: ({ next }) => next },
    { what: 'search for two words', connections: CONNECTIONS, choose: ({ searches }) => searches },
    { what: 'copy, a page of 1,000', connections: COPIES_AT_ONCE, choose: ({ copies }) => copies },
    { what: 'poll, 100 changes', connections: CONNECTIONS, choose: ({ changes }) => changes },
    { what: 'poll, no change', connections: CONNECTIONS, choose: ({ unchanged }) => unchanged },
  ],
  { rows: items },
);
try {
  keepFigures('news-peers', (await runParts('news-peers', parts)).flat());
} finally {
  await contest.stop();
}
