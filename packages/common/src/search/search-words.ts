/** The distinct words of a search, separated by Unicode white space. */
export function searchWords(query: string): string[] {
  return [...new Set(query.split(/\s+/u).filter((word) => word !== ''))];
}
