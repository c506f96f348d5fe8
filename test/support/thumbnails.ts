import sharp from 'sharp';
import { expect } from 'vitest';
import type { Becoming } from '../fixtures/images.ts';
import { type GalleryFixture, galleryFixture, type RunningGallery, startGallery } from './gallery.ts';
import { type Answering, type MediaHost, startMediaHost } from './media-host.ts';

/** An answer of the proxy. */
export interface Thumbnail {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** A gallery administration before a host of images. */
export class ThumbnailFixture {
  readonly gallery: GalleryFixture;
  readonly host: MediaHost;
  /** The same, of a proxy that soon gives up a file of which there is only a part. */
  readonly impatient: RunningGallery;
  #served = 0;

  private constructor(gallery: GalleryFixture, impatient: RunningGallery, host: MediaHost) {
    this.gallery = gallery;
    this.impatient = impatient;
    this.host = host;
  }

  /** Starts both. */
  static async start(): Promise<ThumbnailFixture> {
    const hosts = ['media.test', 'other.test'];
    const host = await startMediaHost(hosts);
    const names = hosts.map((name) => `${name}:${host.port}`).join(',');
    const proxy = { ca: host.ca, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const gallery = await galleryFixture(
      { PROXY_ALLOWED_HOSTS: names, PROXY_PRIVATE_HOSTS: names },
      { proxy },
    );
    const impatient = await startGallery(gallery.settings, { proxy: { ...proxy, wholeMs: 500 } });
    return new ThumbnailFixture(gallery, impatient, host);
  }

  /** Serves `body` at a URL that no test has asked for before, and returns the URL. */
  serve(body: Buffer | Answering, type = 'image/jpeg'): string {
    this.#served += 1;
    const path = `/image-${this.#served}`;
    const send: Answering = (_request, response) =>
      response.writeHead(200, { 'content-type': type }).end(body);
    this.host.answers.set(path, typeof body === 'function' ? body : send);
    return `https://media.test:${this.host.port}${path}`;
  }

  /** Asks for the thumbnail of the image at `url`. */
  async thumbnail(
    url: string,
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
    service = this.gallery.url,
  ): Promise<Thumbnail> {
    const path = `/api/proxy?thumbnail=true&url=${encodeURIComponent(url)}`;
    const response = await fetch(service + path, {
      headers: { cookie: this.gallery.cookie, ...headers },
      signal,
    });
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body };
  }

  /** Expects that a thumbnail of `image` is what is said: without metadata, in a sandbox. */
  async expectBecoming(image: Buffer, type: string, expected: Becoming): Promise<void> {
    const { status, headers, body } = await this.thumbnail(this.serve(image, type));
    if (expected === 'too many pixels') {
      expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'too_many_pixels']);
      return;
    }
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, max-age=604800, immutable',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      vary: expect.stringContaining('Accept'),
    });
    expect(status).toBe(200);
    const said = typeof expected === 'string' ? undefined : expected[2];
    expect(headers.get('x-thumbnail')).toBe(expected === 'a placeholder' ? 'placeholder' : (said ?? null));
    if (expected === 'as it is') {
      expect([headers.get('content-type'), body.equals(image)]).toEqual([type, true]);
      return;
    }
    if (expected === 'a placeholder') {
      expect([headers.get('content-type'), headers.get('x-thumbnail')]).toEqual([
        'image/svg+xml',
        'placeholder',
      ]);
      expect(body.length).toBeLessThan(1000);
      const { width, height } = await sharp(body).metadata();
      expect([width, height]).toEqual([481, 481]);
      return;
    }
    expect(headers.get('content-type')).toBe('image/webp');
    const { format, width, height, ...made } = await sharp(body).metadata();
    expect([format, width, height]).toEqual(['webp', ...expected.slice(0, 2)]);
    const { exif, icc, xmp, iptc, orientation } = made;
    expect({ exif, icc, xmp, iptc, orientation }).toEqual({});
  }

  async close(): Promise<void> {
    await this.impatient.close();
    await this.gallery.close();
    await this.host.close();
  }
}
