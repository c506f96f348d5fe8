import { useLayoutEffect, useRef } from 'preact/hooks';
import { slugOf } from '../../shared/state/slug.ts';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { NewsChange, NewsSettings } from '../api/news-settings.ts';
import { usePeople } from '../people-context.ts';
import { BackButton, originWords, SettingField, type Settings } from './settings-form.tsx';

type Held = NewsSettings['settings'];

type Pack = NonNullable<NewsChange['packs']>[number];

const PACKS: readonly Pack[] = ['technology', 'general', 'business', 'sport', 'science', 'local'];

/** A category as it is typed. */
export interface TypedCategory {
  /** Stays as it is while the category is moved and typed. */
  readonly key: string;
  readonly name: string;
  readonly label: string;
  /** Separated by commas. */
  readonly words: string;
  /** True as long as its name is still to be typed. */
  readonly isNew: boolean;
}

interface FieldProps<Value> {
  settings: Settings<NewsSettings, NewsChange>;
  /** Null to take what the server says. */
  typed: Value | null | undefined;
  onChange: (typed: Value | null) => void;
}

/** Which packs new items are judged by. */
export function PacksField({ settings, typed, onChange }: FieldProps<readonly Pack[]>) {
  const { say, list } = usePeople().texts;
  const { packs } = settings.read.settings;
  const shown = typed === undefined ? packs.value : (typed ?? packs.environment);
  const files = packs.environment.filter((name) => !isPack(name));
  const chosen = shown.filter(isPack);
  const words = (names: readonly string[]) =>
    list(names.map((name) => (isPack(name) ? say(`pack_${name}`) : name)));
  return (
    <fieldset class="people-part" disabled={packs.isFixed}>
      <legend>{say('newsPacks')}</legend>
      {PACKS.map((pack) => (
        <CheckField
          key={pack}
          label={say(`pack_${pack}`)}
          checked={chosen.includes(pack)}
          onChecked={(isOn) => onChange(isOn ? [...chosen, pack] : chosen.filter((one) => one !== pack))}
        />
      ))}
      <p class="hint">{say('newsPacksHint')}</p>
      {files.length > 0 && <p class="hint">{say('newsPacksFiles', { files: list(files) })}</p>}
      <Origin
        {...{ name: 'packs', settings, typed }}
        words={{ value: words(packs.value), environment: words(packs.environment) }}
        onBack={() => onChange(null)}
      />
    </fieldset>
  );
}

/** The categories in their order, each with its label and words. */
export function CategoriesField({ settings, typed, onChange }: FieldProps<readonly TypedCategory[]>) {
  const { say, list } = usePeople().texts;
  const { categories, formerCategories } = settings.read.settings;
  const shown = typed ?? typedOf(typed === null ? categories.environment : categories.value);
  const adding = useRef<HTMLInputElement>(null);
  const count = useRef(shown.length);
  useLayoutEffect(() => {
    if (shown.length > count.current && shown.at(-1)?.isNew) adding.current?.focus();
    count.current = shown.length;
  }, [shown.length]);
  const faultOf = (index: number, member: string) => {
    const fault = settings.problem?.fields.find(({ field }) =>
      `${field}.`.startsWith(`categories.${index}.${member}.`),
    );
    return fault && faultWords(fault, say);
  };
  const set = (index: number, members: Partial<TypedCategory>) =>
    onChange(shown.map((one, at) => (at === index ? { ...one, ...members } : one)));
  const known = [...categories.environment, ...formerCategories.map((one) => ({ ...one, words: [] }))];
  const offers = known.filter(
    ({ name }, index) =>
      !shown.some((one) => one.name === name) && known.findIndex((one) => one.name === name) === index,
  );
  const labels = (names: Held['categories']['value']) => list(names.map(({ label }) => label));
  return (
    <fieldset class="people-part" disabled={categories.isFixed}>
      <legend>{say('newsCategories')}</legend>
      <p class="hint">{say('newsCategoriesHint')}</p>
      <ol class="people-categories">
        {shown.map(({ key, name, label, words, isNew }, index) => (
          <li key={key}>
            <div class="people-category">
              <SettingField
                id={`category-${index}-label`}
                label={say('newsLabel')}
                fault={faultOf(index, 'label')}
                hints={isNew ? [] : [say('newsNamed', { name })]}
              >
                {(control) => (
                  <input
                    {...control}
                    ref={index === shown.length - 1 ? adding : null}
                    value={label}
                    onInput={({ currentTarget }) => set(index, { label: currentTarget.value })}
                  />
                )}
              </SettingField>
              {isNew && (
                <SettingField
                  id={`category-${index}-name`}
                  label={say('newsName')}
                  fault={faultOf(index, 'name')}
                  hints={[say('newsNameHint'), say('newsNameMade')]}
                >
                  {(control) => (
                    <input
                      {...control}
                      value={name}
                      spellcheck={false}
                      onInput={({ currentTarget }) => set(index, { name: currentTarget.value })}
                    />
                  )}
                </SettingField>
              )}
              <SettingField
                id={`category-${index}-words`}
                label={say('newsWords')}
                fault={faultOf(index, 'words')}
                hints={[]}
              >
                {(control) => (
                  <input
                    {...control}
                    value={words}
                    onInput={({ currentTarget }) => set(index, { words: currentTarget.value })}
                  />
                )}
              </SettingField>
            </div>
            <Moves index={index} label={label} shown={shown} onChange={onChange} />
          </li>
        ))}
      </ol>
      <p class="hint">{say('newsWordsHint')}</p>
      <Button
        icon="add"
        onClick={() => onChange([...shown, { key: newKey(), name: '', label: '', words: '', isNew: true }])}
      >
        {say('newsCategoryAdd')}
      </Button>
      {offers.length > 0 && (
        <select
          aria-label={say('newsCategoryOffer')}
          value=""
          onChange={({ currentTarget }) => {
            const chosen = offers.filter(({ name }) => name === currentTarget.value);
            onChange([...shown, ...typedOf(chosen)]);
          }}
        >
          <option value="">{say('newsCategoryOffer')}</option>
          {offers.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
      {formerCategories.length > 0 && (
        <p class="hint">
          {say('newsFormer', {
            labels: list(formerCategories.map(({ name, label }) => `${label} (${name})`)),
          })}
        </p>
      )}
      <Origin
        {...{ name: 'categories', settings, typed }}
        words={{ value: labels(categories.value), environment: labels(categories.environment) }}
        onBack={() => onChange(null)}
      />
    </fieldset>
  );
}

interface MovesProps {
  index: number;
  label: string;
  shown: readonly TypedCategory[];
  onChange: (typed: readonly TypedCategory[]) => void;
}

function Moves({ index, label, shown, onChange }: MovesProps) {
  const { say } = usePeople().texts;
  const move = ({ currentTarget: button }: { currentTarget: HTMLButtonElement }, to: number) => {
    const others = shown.toSpliced(index, 1);
    onChange(others.toSpliced(to, 0, ...shown.slice(index, index + 1)));
    // A row that moves loses the focus; at an end the other button takes it.
    requestAnimationFrame(() => {
      const buttons = [button, ...(button.parentElement?.querySelectorAll('button') ?? [])];
      buttons.find(({ disabled }) => !disabled)?.focus();
    });
  };
  return (
    <div class="people-moves">
      <IconButton
        icon="up"
        label={say('newsCategoryUp', { label })}
        disabled={index === 0}
        onClick={(event) => move(event, index - 1)}
      />
      <IconButton
        icon="down"
        label={say('newsCategoryDown', { label })}
        disabled={index === shown.length - 1}
        onClick={(event) => move(event, index + 1)}
      />
      <IconButton
        icon="delete"
        label={say('newsCategoryOut', { label })}
        onClick={() => onChange(shown.toSpliced(index, 1))}
      />
    </div>
  );
}

interface OriginProps {
  name: 'packs' | 'categories';
  settings: Settings<NewsSettings, NewsChange>;
  /** What was typed; null to take what the server says. */
  typed: unknown;
  words: { value: string; environment: string };
  onBack: () => void;
}

/** Where what is shown comes from, what is wrong with it, and the way back to what the server says. */
function Origin({ name, settings, typed, words, onBack }: OriginProps) {
  const { say } = usePeople().texts;
  const { made, variable, isFixed } = settings.read.settings[name];
  const isMade = !isFixed && typed !== null && made !== null;
  const fault = settings.problem?.fields.find(({ field }) => field === name);
  return (
    <>
      {fault !== undefined && <p class="form-problem">{faultWords(fault, say)}</p>}
      <p class="hint">{originWords(say, { variable, isFixed, isMade, environment: words.environment })}</p>
      {settings.isContested && typed !== undefined && (
        <p class="hint">{say('siteNow', { value: words.value })}</p>
      )}
      {isMade && <BackButton name={say(name === 'packs' ? 'newsPacks' : 'newsCategories')} onBack={onBack} />}
    </>
  );
}

/** The longest name of a category, in characters. */
const LONGEST_NAME = 40;

/** The categories with names for those that have none: from their labels, in Latin letters. */
export async function named(typed: readonly TypedCategory[], held: Held): Promise<TypedCategory[]> {
  const taken = new Set(
    [...typed, ...held.formerCategories, ...held.categories.environment].map(({ name }) => name.trim()),
  );
  const all: TypedCategory[] = [];
  for (const one of typed) {
    const base = one.name.trim() === '' ? (await slugOf(one.label)).slice(0, LONGEST_NAME) : one.name;
    let name = base === '' ? 'category' : base;
    if (one.name.trim() === '') {
      for (let number = 2; taken.has(name); number += 1) name = `${base || 'category'}-${number}`;
      taken.add(name);
    }
    all.push({ ...one, name });
  }
  return all;
}

/** What the server is to take of what was typed. */
export function categoriesOf(typed: readonly TypedCategory[]): NonNullable<NewsChange['categories']> {
  return typed.map(({ name, label, words }) => ({
    ...{ name: name.trim(), label: label.trim() },
    words: [...new Set(words.split(/[,，、\n]/).map((word) => word.trim().replace(/\s+/g, ' ')))].filter(
      (word) => word !== '',
    ),
  }));
}

function typedOf(categories: Held['categories']['value']): TypedCategory[] {
  return categories.map(({ name, label, words }) => {
    return { key: name, name, label, words: words.join(', '), isNew: false };
  });
}

let added = 0;

/** A key that no name is. */
function newKey(): string {
  added += 1;
  return `new ${added}`;
}

function isPack(name: string): name is Pack {
  return PACKS.some((pack) => pack === name);
}
