/**
 * Compares names in the order people expect: numbers by value (`a2` before `a10`), letters regardless of case
 * and accents, in any script (CLDR root collation). Ties are broken by code units.
 */
export function naturalOrder(): (a: string, b: string) => number {
  const collator = new Intl.Collator('und', { numeric: true });
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}
