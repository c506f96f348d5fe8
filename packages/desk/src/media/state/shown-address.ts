/** Pictures that browsers show; of others, such as HEIC, pages show a rendition. SVG is only downloaded. */
const SHOWN = /^image\/(jpeg|png|gif|webp|avif|apng|bmp)/;

/** The address at which browsers show a public picture of a media type: its own, or that of a rendition. */
export function shownAddress(address: string, contentType: string): string {
  return SHOWN.test(contentType) ? address : `${address}?w=1920`;
}
