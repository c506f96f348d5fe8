// The package comes without types.
declare module 'html-encoding-sniffer' {
  /** The encoding of an HTML document by the encoding sniffing algorithm of the HTML standard. */
  export default function sniffHtmlEncoding(
    bytes: Uint8Array,
    options?: { transportLayerEncodingLabel?: string; defaultEncoding?: string; xml?: boolean },
  ): string;
}
