/** Shortcodes that show what is elsewhere, and the address of what one names by an id. */
const EMBEDS: Readonly<Record<string, string>> = {
  archiveorg: 'https://archive.org/details/',
  bandcamp: '',
  dailymotion: 'https://www.dailymotion.com/video/',
  embedyt: 'https://www.youtube.com/watch?v=',
  facebook: '',
  flickr: '',
  gist: 'https://gist.github.com/',
  giphy: 'https://giphy.com/gifs/',
  googlemaps: '',
  googlevideo: '',
  iframe: '',
  imgur: 'https://imgur.com/',
  instagram: 'https://www.instagram.com/p/',
  issuu: '',
  mixcloud: '',
  pinterest: '',
  reddit: '',
  scribd: 'https://www.scribd.com/doc/',
  slideshare: 'https://www.slideshare.net/slideshow/embed_code/',
  soundcloud: '',
  spotify: 'https://open.spotify.com/track/',
  ted: 'https://www.ted.com/talks/view/id/',
  tiktok: '',
  tweet: 'https://twitter.com/i/status/',
  twitter: 'https://twitter.com/i/status/',
  videopress: 'https://videopress.com/v/',
  vimeo: 'https://vimeo.com/',
  vine: 'https://vine.co/v/',
  wpvideo: 'https://videopress.com/v/',
  youtube: 'https://www.youtube.com/watch?v=',
};

/** The names of the shortcodes. */
export const EMBED_NAMES = Object.keys(EMBEDS).join('|');

/** The address of what a shortcode shows; undefined if it is no such shortcode, or says none. */
export function embeddedAddress(
  name: string,
  given: string,
  attributes: ReadonlyMap<string, string>,
  content = '',
): string | undefined {
  const known = Object.hasOwn(EMBEDS, name) ? EMBEDS[name] : undefined;
  if (known === undefined) return undefined;
  const [address] = /(?:https?:)?\/\/[^\s"'<>|[\]]+/i.exec(`${given} ${content}`) ?? [];
  if (address !== undefined) return address.startsWith('//') ? `https:${address}` : address;
  const [, spotify] = /\bspotify:([a-z]+:\w+)/i.exec(given) ?? [];
  if (spotify !== undefined) return `https://open.spotify.com/${spotify.replace(':', '/')}`;
  const [, bare] = /^=?\s*["']?([\w-]+)["']?(?=\s|$)/.exec(given) ?? [];
  const id = attributes.get('id') ?? attributes.get('v') ?? attributes.get('tweet') ?? bare ?? content.trim();
  return known !== '' && /^[\w-]+$/.test(id) ? `${known}${id}` : undefined;
}
