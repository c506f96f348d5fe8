import { verifyEvent } from '@pressroom/client/hooks';
import { revalidateTag } from 'next/cache';

export async function POST(request) {
  let event;
  try {
    event = verifyEvent(await request.text(), request.headers, process.env.PRESSROOM_SECRET);
  } catch {
    return new Response('not signed by Pressroom', { status: 401 });
  }
  for (const tag of event.data.cache_tags) revalidateTag(tag, { expire: 0 });
  return new Response(null, { status: 204 });
}
