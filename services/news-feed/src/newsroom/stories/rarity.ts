/** A young index knows little about rarity; it counts as if so many other items were in it… */
const PRIOR_ITEMS = 100;

/** … of which so many have any term. */
const PRIOR_USES = 2;

/** How rare a term of `items` among `stored` items is, in nats: 0 if all have it. */
export function rarityOf(items: number, stored: number): number {
  return Math.max(0, Math.log((stored + PRIOR_ITEMS) / (items + PRIOR_USES)));
}
