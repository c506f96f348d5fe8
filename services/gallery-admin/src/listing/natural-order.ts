/**
 * Makes the order in which people read names: numbers by their value (`a2` before `a10`), letters whatever their
 * case or accents, in any script (CLDR root collation); names that compare equal by their code units.
 */
export function naturalOrder(): (a: string, b: string) => number {
  const collator = new Intl.Collator('und', { numeric: true });
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}
