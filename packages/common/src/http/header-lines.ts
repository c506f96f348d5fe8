/** The lines of headers, of which names and values are given in turn. */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (const [index, text] of headers.entries()) lines += index % 2 === 0 ? `${text}: ` : `${text}\r\n`;
  return lines;
}
