import { type Rules, rulesOf } from '@pressroom/stories';
import { type Group, type Pack, readPacks } from '@pressroom/stories/packs';
import { primaryLanguage } from '@pressroom/stories/words';

/** Those of `docs/spec/news-feed.md`: a client may ask for them, whatever becomes of the list. */
export const CONTRACT_CATEGORIES: readonly string[] = [
  ...['technology', 'research', 'patent', 'product', 'industry', 'finance'],
  ...['policy-standard', 'event', 'insight'],
];

/** A category, by the name that items have, and how readers see it. */
export interface NamedCategory {
  name: string;
  label: string;
}

/** A category with the plain words that mean it, in any language, besides those of the packs. */
export interface Category extends NamedCategory {
  words: string[];
}

interface CategoriesParts {
  /** `NEWS_PACKS`. */
  packs: readonly string[];
  /** `NEWS_CATEGORIES`, each with its label after a = if it has one; undefined for those of the packs. */
  named: readonly string[] | undefined;
  /** `SITE_LANGUAGE`. */
  language: string | undefined;
}

/** What {@link Categories} go by. */
interface Followed {
  packs: readonly string[];
  categories: readonly Category[];
  /** Those left out that items may still have. */
  former: readonly NamedCategory[];
}

/** The categories of the site, and the rules by which the worker chooses one: those of the moment. */
export class Categories {
  readonly #parts: CategoriesParts;
  /** A pack is read once: files of the site's own may change, or go, while a service runs. */
  readonly #read = new Map<string, Pack>();
  #followed = '';
  #offered: readonly string[] = [];
  #names: readonly string[] = [];
  #labels: ReadonlyMap<string, string> = new Map();
  #packLabels: PackLabels = new Map();
  #rules: Rules;

  /** Throws a `Failure` for a file that is no pack. */
  constructor(parts: CategoriesParts) {
    this.#parts = parts;
    const { packs } = parts;
    this.#rules = this.#follow({ packs, categories: this.of(packs), former: [] });
  }

  /** The names that editors and the worker choose from, in the order of a report's sections. */
  get offered(): readonly string[] {
    return this.#offered;
  }

  /** The names that items may have: after those that are offered, the former ones. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The label of each name. */
  get labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }

  get packLabels(): PackLabels {
    return this.#packLabels;
  }

  get rules(): Rules {
    return this.#rules;
  }

  /** The categories that the environment gives, with these packs. */
  of(packs: readonly string[]): Category[] {
    const { named, language } = this.#parts;
    const groups = this.#packOf(packs).categories;
    const labels = labelsOf(named ?? Object.keys(groups), groups, language);
    return [...labels].map(([name, label]) => ({ name, label, words: [] }));
  }

  /** Takes other ones: whoever has the categories goes by them from then on. */
  follow(followed: Followed): void {
    const asText = JSON.stringify(followed);
    if (asText === this.#followed) return;
    this.#rules = this.#follow(followed);
    this.#followed = asText;
  }

  #follow({ packs, categories, former }: Followed): Rules {
    const all = [...categories, ...former];
    this.#offered = categories.map(({ name }) => name);
    this.#names = all.map(({ name }) => name);
    this.#labels = new Map(all.map(({ name, label }) => [name, label]));
    this.#packLabels = packLabelsOf(this.#labels, this.#packOf(packs).categories, this.#parts.language);
    const words = Object.fromEntries(categories.map((category) => [category.name, category.words]));
    return rulesOf(this.#packOf(packs), this.#parts.language, words);
  }

  /** The packs, with the files of the site's own, which are the environment's alone. */
  #packOf(packs: readonly string[]): Pack {
    const files = this.#parts.packs.filter((pack) => isFile(pack) && !packs.includes(pack));
    return readPacks([...packs, ...files], this.#read);
  }
}

/** True for the path of a pack of the site's own. */
export function isFile(pack: string): boolean {
  return /\.ya?ml$/.test(pack);
}

/** The name in a value of `NEWS_CATEGORIES` or `NEWS_DIRECTIONS`. */
export function nameOf(value: string): string {
  return value.replace(/=.*/s, '');
}

/** By name, the labels that the packs have by language, where the site's own is not another one. */
export type PackLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Returns the labels of the packs for those of `labels` that are one of them. */
export function packLabelsOf(
  labels: ReadonlyMap<string, string>,
  groups: Readonly<Record<string, Group>>,
  siteLanguage: string | undefined,
): PackLabels {
  const names = [...labels.keys()].filter((name) => groups[name] !== undefined);
  const [english, ofSite] = [undefined, siteLanguage].map((language) => labelsOf(names, groups, language));
  return new Map(
    names
      .filter((name) => labels.get(name) === ofSite?.get(name))
      .map((name) => [name, { en: english?.get(name) ?? name, ...groups[name]?.label }]),
  );
}

/** Returns the labels of the setting, else those of the packs, else the words of the name. */
export function labelsOf(
  values: readonly string[],
  groups: Readonly<Record<string, Group>>,
  siteLanguage: string | undefined,
): ReadonlyMap<string, string> {
  const language = primaryLanguage(siteLanguage);
  return new Map(
    values.map((value) => {
      const name = nameOf(value);
      const { label } = groups[name] ?? {};
      const words = label?.[language] ?? label?.en ?? name.replaceAll('-', ' ');
      return [name, value.slice(name.length + 1).trim() || words.charAt(0).toUpperCase() + words.slice(1)];
    }),
  );
}
