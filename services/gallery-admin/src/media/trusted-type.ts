/** Types that a browser shows without ever running any of it; no SVG, HTML, PDF or other documents. */
const TRUSTED = /^(?:image\/(?:jpeg|png|gif|webp|avif|apng|bmp)|(?:video|audio)\/[\w.+-]+)$/;

/**
 * The headers of a file that anybody may read: anything but pictures, video and audio is for saving, whatever
 * type it was stored with.
 */
export function trustedHeaders(headers: Record<string, string>): Record<string, string> {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (TRUSTED.test(type)) return { ...headers, 'content-type': type };
  return { ...headers, 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };
}
