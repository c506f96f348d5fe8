/** A site whose pages have a player, or something like it, for other sites. */
export interface Provider {
  readonly name: string;
  /** The hosts of its pages, by their whole names. */
  readonly hosts: readonly string[];
  /** Its oEmbed endpoint, `{host}` being that of the page; undefined where it has none. */
  readonly endpoint?: string;
  /**
   * The address to put into a frame, made of what identifies the page; undefined for pages without one.
   *
   * @param html the HTML of its oEmbed answer, in which identifiers are looked for and nothing else
   */
  readonly frame: (page: URL, html: string) => string | undefined;
  /** The size of the frame, in px. */
  readonly width: number;
  readonly height: number;
}

const FILM = { width: 640, height: 360 };

/** The only sites whose frames are made by address; each frame is of a host that is written here. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: 'YouTube',
    hosts: ['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtu.be'],
    endpoint: 'https://www.youtube.com/oembed',
    frame: (page) => {
      const id = page.hostname === 'youtu.be' ? found(page, /^\/([\w-]+)$/) : youtubeId(page);
      return id && withStart(`https://www.youtube-nocookie.com/embed/${id}`, '?start=', page);
    },
    ...FILM,
  },
  {
    name: 'Vimeo',
    hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
    endpoint: 'https://vimeo.com/api/oembed.json',
    frame: (page) => {
      const [, id, hash] = /^\/(?:video\/)?(\d+)(?:\/([\da-f]+))?$/.exec(page.pathname) ?? [];
      const unlisted = hash ?? /^[\da-f]+$/.exec(page.searchParams.get('h') ?? '')?.[0];
      const start = startOf(page);
      const at = start === undefined ? '' : `#t=${start}s`;
      return (
        id && `https://player.vimeo.com/video/${id}${unlisted === undefined ? '' : `?h=${unlisted}`}${at}`
      );
    },
    ...FILM,
  },
  {
    name: 'bilibili',
    hosts: ['bilibili.com', 'www.bilibili.com', 'm.bilibili.com'],
    frame: (page) => {
      const id = found(page, /^\/video\/(BV\w+)\/?$/);
      return id && withStart(`https://player.bilibili.com/player.html?bvid=${id}`, '&t=', page);
    },
    ...FILM,
  },
  {
    name: 'Dailymotion',
    hosts: ['dailymotion.com', 'www.dailymotion.com', 'dai.ly'],
    endpoint: 'https://www.dailymotion.com/services/oembed',
    frame: (page) => {
      const id = found(page, page.hostname === 'dai.ly' ? /^\/(\w+)$/ : /^\/video\/(\w+)$/);
      return id && withStart(`https://geo.dailymotion.com/player.html?video=${id}`, '&startTime=', page);
    },
    ...FILM,
  },
  {
    name: 'Spotify',
    hosts: ['open.spotify.com'],
    endpoint: 'https://open.spotify.com/oembed',
    frame: (page) => {
      const [, kind, id] =
        /^\/(?:intl-[a-z]+\/)?(album|artist|episode|playlist|show|track)\/(\w+)$/.exec(page.pathname) ?? [];
      return id && withStart(`https://open.spotify.com/embed/${kind}/${id}`, '?t=', page);
    },
    width: 640,
    height: 352,
  },
  {
    name: 'SoundCloud',
    hosts: ['soundcloud.com', 'www.soundcloud.com', 'm.soundcloud.com'],
    endpoint: 'https://soundcloud.com/oembed',
    frame: (page) => {
      const path = found(page, /^(\/[\w-]+\/(?:sets\/)?[\w-]+)$/);
      const start = startOf(page);
      const track = `https://soundcloud.com${path}${start === undefined ? '' : `#t=${start}`}`;
      return path && `https://w.soundcloud.com/player/?url=${encodeURIComponent(track)}`;
    },
    width: 640,
    height: 166,
  },
  {
    name: 'Bluesky',
    hosts: ['bsky.app'],
    endpoint: 'https://embed.bsky.app/oembed',
    frame: (page, html) => {
      const [, author, post] = /at:\/\/(did:[a-z]+:[\w.:-]+)\/app\.bsky\.feed\.post\/(\w+)/.exec(html) ?? [];
      const isThis = post !== undefined && found(page, /^\/profile\/[\w.:-]+\/post\/(\w+)$/) === post;
      return isThis ? `https://embed.bsky.app/embed/${author}/app.bsky.feed.post/${post}` : undefined;
    },
    width: 600,
    height: 480,
  },
  {
    name: 'Mastodon',
    hosts: [
      ...['chaos.social', 'fosstodon.org', 'hachyderm.io', 'infosec.exchange', 'mas.to', 'mastodon.online'],
      ...['mastodon.social', 'mastodon.world', 'mstdn.social', 'social.vivaldi.net'],
    ],
    endpoint: 'https://{host}/api/oembed',
    frame: (page) => {
      const path = found(page, /^(\/@[\w.-]+\/\d+)$/);
      return path && `https://${page.hostname}${path}/embed`;
    },
    width: 600,
    height: 480,
  },
  {
    name: 'X',
    hosts: ['x.com', 'www.x.com', 'mobile.x.com', 'twitter.com', 'www.twitter.com', 'mobile.twitter.com'],
    endpoint: 'https://publish.twitter.com/oembed',
    frame: (page) => {
      const id = found(page, /^\/\w+\/status\/(\d+)\/?$/);
      return id && `https://platform.twitter.com/embed/Tweet.html?dnt=true&id=${id}`;
    },
    width: 550,
    height: 560,
  },
  {
    name: 'TikTok',
    hosts: ['tiktok.com', 'www.tiktok.com', 'm.tiktok.com'],
    endpoint: 'https://www.tiktok.com/oembed',
    frame: (page) => {
      const id = found(page, /^\/@[\w.-]+\/video\/(\d+)$/);
      return id && `https://www.tiktok.com/player/v1/${id}`;
    },
    width: 325,
    height: 580,
  },
  {
    name: 'Flickr',
    hosts: ['flickr.com', 'www.flickr.com'],
    endpoint: 'https://www.flickr.com/services/oembed/',
    frame: (page) => {
      const id = found(page, /^\/photos\/[\w@-]+\/(\d+)(?:\/|$)/);
      return id && `https://embedr.flickr.com/photos/${id}`;
    },
    width: 640,
    height: 480,
  },
  {
    name: 'CodePen',
    hosts: ['codepen.io'],
    endpoint: 'https://codepen.io/api/oembed',
    frame: (page) => {
      const [, owner, pen] = /^\/([\w-]+)\/(?:pen|full|details|embed)\/(\w+)\/?$/.exec(page.pathname) ?? [];
      return pen && `https://codepen.io/${owner}/embed/${pen}?default-tab=result`;
    },
    width: 640,
    height: 400,
  },
];

/** The provider of a page; a host that only looks like one of its own is none. */
export function providerOf(page: URL, providers: readonly Provider[]): Provider | undefined {
  return providers.find(({ hosts }) => hosts.includes(page.hostname) && page.port === '');
}

function found({ pathname }: URL, pattern: RegExp): string | undefined {
  return pattern.exec(pathname)?.[1];
}

function youtubeId(page: URL): string | undefined {
  const watched = page.pathname === '/watch' ? page.searchParams.get('v') : null;
  if (watched !== null) return /^[\w-]+$/.exec(watched)?.[0];
  return found(page, /^\/(?:embed|live|shorts|v)\/([\w-]+)$/);
}

function withStart(frame: string, parameter: string, page: URL): string {
  const start = startOf(page);
  return start === undefined ? frame : `${frame}${parameter}${start}`;
}

/** Where a page says to begin, in s: `t=42`, `t=42s`, `t=1h2m3s`, `t=1:02`, `start=42`, also behind `#`. */
function startOf({ searchParams, hash }: URL): number | undefined {
  const behind = new URLSearchParams(hash.slice(1));
  const given = searchParams.get('t') ?? searchParams.get('start') ?? behind.get('t') ?? '';
  const named = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?$/.exec(given);
  const [, h, m, s] = named ?? /^(?:(\d{1,3}):)?(\d{1,4}):(\d{2})$/.exec(given) ?? [];
  if (h === undefined && m === undefined && s === undefined) return undefined;
  return Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);
}
