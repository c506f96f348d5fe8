/** A young index knows little about rarity; it counts as if so many other items were in it. */
const PRIOR_ITEMS = 1000;

/** How rare a term of `items` among `stored` items is: 1 if no item has it, 0 if all have. */
export function rarityOf(items: number, stored: number): number {
  const all = PRIOR_ITEMS + stored;
  return Math.max(0, Math.log(all / (items + 1)) / Math.log(all));
}

/** What a term of this rarity says about which item it is from, in nats, among `stored` items. */
export function informationOf(rarity: number, stored: number): number {
  return rarity * Math.log(PRIOR_ITEMS + stored);
}
