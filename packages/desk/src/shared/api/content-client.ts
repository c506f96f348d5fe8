import { type ClientOptions, type ContentClient, contentClient } from '@pressroom/client';
import type { Service } from './service.ts';

/** A client of the content service, by way of the desk. */
export function deskContentClient(service: Service, retry: ClientOptions['retry'] = {}): ContentClient {
  const api = `${service.baseUrl}/api/`;
  return contentClient({
    baseUrl: service.baseUrl,
    retry,
    fetch: (url, init) => service.fetch(url.replace(api, `${api}desk/content/`), init),
  });
}
