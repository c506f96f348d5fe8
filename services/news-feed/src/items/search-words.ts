/** The words of a search: what white space of any script separates, without repetitions. */
export function searchWords(query: string): string[] {
  return [...new Set(query.split(/\s+/u).filter((word) => word !== ''))];
}
