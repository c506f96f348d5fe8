import { verifyEvent } from '@pressroom/client/hooks';

export default {
  async fetch(request, env) {
    let event;
    try {
      event = verifyEvent(await request.text(), request.headers, env.PRESSROOM_SECRET);
    } catch {
      return new Response('not signed by Pressroom', { status: 401 });
    }
    const { cache_tags: tags } = event.data;
    if (tags.length === 0) return new Response(null, { status: 204 });
    const purged = await fetch(env.PURGE_URL, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.PURGE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tags }),
    });
    // The service sends the event again unless this is 2xx.
    return new Response(null, { status: purged.ok ? 204 : 502 });
  },
};
