/**
 * Splits HTML into, by turns, text and elements of these names (`pre|code`) with all that they contain. One
 * that is not closed is text.
 */
export function splitAtElements(html: string, names: string): string[] {
  const parts: string[] = [];
  const beginning = new RegExp(`<(${names})\\b`, 'gi');
  // An element that is not closed after one place is not closed after a later one.
  const unclosed = new Set<string>();
  let end = 0;
  for (let found = beginning.exec(html); found !== null; found = beginning.exec(html)) {
    const name = (found[1] ?? '').toLowerCase();
    if (unclosed.has(name)) continue;
    const ending = new RegExp(`</${name}\\s*>`, 'gi');
    ending.lastIndex = beginning.lastIndex;
    if (ending.test(html)) {
      parts.push(html.slice(end, found.index), html.slice(found.index, ending.lastIndex));
      end = beginning.lastIndex = ending.lastIndex;
    } else unclosed.add(name);
  }
  return [...parts, html.slice(end)];
}
