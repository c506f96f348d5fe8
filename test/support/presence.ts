import type { JsonBody } from './http.ts';

const streams: AbortController[] = [];

/** Somebody's page, and the address of the service that it asks. */
export interface FollowingPage {
  readonly cookie: string;
  readonly url: string;
  readonly tab: string;
}

/** The text that a page has received so far from its stream, and the end of the stream. */
export async function follow({ cookie, url, tab }: FollowingPage) {
  const stopping = new AbortController();
  streams.push(stopping);
  const response = await fetch(`${url}/api/presence/events?tab=${tab}`, {
    headers: { cookie },
    signal: stopping.signal,
  });
  const heard = { response, text: '', hasEnded: false };
  const read = async () => {
    for await (const chunk of response.body ?? []) heard.text += Buffer.from(chunk).toString();
  };
  const end = () => {
    heard.hasEnded = true;
  };
  read().then(end, end);
  return heard;
}

/** The latest entries of a stream. */
export function latest({ text }: { text: string }): JsonBody[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return JSON.parse(data.at(-1)?.slice('data: '.length) ?? '{"entries":[]}').entries;
}

/** Ends all streams. */
export function stopFollowing(): void {
  for (const stream of streams) stream.abort();
}
