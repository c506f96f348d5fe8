import type { Kysely } from 'kysely';
import type { Clock } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import type { EditorConfig } from '../work/worker-config.ts';
import { type Judge, RuleJudge, type RulesSettings, readRules } from './judge.ts';
import { ModelDigests, type ModelDigestsParts } from './model-digests.ts';
import { ModelJudge } from './model-judge.ts';
import type { StorySearch } from './story-index.ts';

/** The model's language without `SITE_LANGUAGE`: that of the readers in the default time zone. */
const LANGUAGE = 'Simplified Chinese';
const LANGUAGE_TAG = 'zh-Hans';

interface EditorContext {
  db: Kysely<NewsTables>;
  vocabulary: Vocabulary;
  clock: Clock;
  /** Shared with the assigner of stories, which looks for the same. */
  search: StorySearch;
}

/**
 * The judge that the settings ask for: a model where `EDITORIAL_URL` and `EDITORIAL_MODEL` name one, else
 * the rules. Throws a `Failure` for a pack that is not one.
 */
export function openJudge(
  config: EditorConfig & RulesSettings,
  { db, vocabulary, clock, search }: EditorContext,
): Judge {
  const rules = new RuleJudge({ db, rules: readRules(config), search, vocabulary });
  const model = modelOf(config);
  if (model === undefined) return rules;
  return new ModelJudge({ db, rules, vocabulary, clock, ...model });
}

/** Opens the model that rewrites digests, if the settings name one. */
export function openDigests(
  config: EditorConfig & Pick<RulesSettings, 'SITE_LANGUAGE'>,
  {
    db,
    clock,
    vocabulary,
    log,
  }: Pick<EditorContext, 'db' | 'clock' | 'vocabulary'> & Pick<ModelDigestsParts, 'log'>,
): ModelDigests | undefined {
  const model = modelOf(config);
  return model && new ModelDigests({ db, clock, log, calendar: vocabulary.calendar, ...model });
}

function modelOf(
  config: Parameters<typeof openDigests>[0],
): Omit<ModelDigestsParts, 'db' | 'clock' | 'calendar' | 'log'> | undefined {
  const { EDITORIAL_URL: url, EDITORIAL_MODEL: model, EDITORIAL_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  return {
    settings: { url, key, model, timeoutMs: config.EDITORIAL_TIMEOUT_MS },
    languageTag: config.SITE_LANGUAGE ?? LANGUAGE_TAG,
    language: languageName(config.SITE_LANGUAGE),
    budget: { requests: config.EDITORIAL_DAILY_REQUESTS, tokens: config.EDITORIAL_DAILY_TOKENS },
  };
}

/** A language as English names it, such as `Brazilian Portuguese`. */
function languageName(tag: string | undefined): string {
  if (tag === undefined) return LANGUAGE;
  return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
}
