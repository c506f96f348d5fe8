import { webUrl } from '@pressroom/common/fields/text';

/** An address as an article accepts it, percent-encoded; undefined if it is none. */
export function webAddress(value: string | null | undefined): string | undefined {
  const url = value ? URL.parse(value.trim()) : null;
  const href = url?.href.replaceAll(/[|^`{}\\]/g, encodeURIComponent);
  return webUrl(500).safeParse(href).data;
}
