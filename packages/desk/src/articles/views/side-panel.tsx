import { lazy, Suspense } from 'preact/compat';
import { useEffect, useId, useState } from 'preact/hooks';
import { slugOf } from '../../shared/state/slug.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Assignable } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { pageOf } from '../state/site-page.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { CorrectionsField } from './corrections-field.tsx';
import { FeaturedImage } from './featured-image.tsx';
import { FieldProblem } from './field-problem.tsx';
import { PanelField } from './panel-field.tsx';
import { TermsField } from './terms-field.tsx';

// Rarely changed fields, with previews of how others show an article.
const Reach = lazy(() => import('./reach.tsx').then(({ Reach: View }) => ({ default: View })));

/** Everything about an article but its title and text. */
export function SidePanel({
  open,
  onAsk,
}: {
  open: OpenArticle;
  onAsk: (question: ArticleQuestion) => void;
}) {
  const { site, terms, texts } = useApp();
  const { say } = texts;
  const fields = open.fields.value;
  const { is_published: isPublished, slug: before } = open.article.value ?? {};
  const isMoved = isPublished && fields.slug !== '' && fields.slug !== before;
  const page =
    open.article.value && pageOf(site.value, { ...open.article.value, slug: fields.slug || before || '' });
  return (
    <form class="article-side form" aria-label={say('settings')} onSubmit={(event) => event.preventDefault()}>
      <h2 class="side-title">{say('publish')}</h2>
      <FeaturedImage open={open} onAsk={onAsk} />
      <PanelField label={say('field_excerpt')} open={open} member="excerpt">
        {(props) => (
          <textarea
            {...props}
            rows={3}
            maxLength={500}
            value={fields.excerpt}
            onInput={({ currentTarget }) => open.edit({ excerpt: currentTarget.value })}
          />
        )}
      </PanelField>
      <PanelField
        label={say('field_slug')}
        hint={
          <>
            {page !== undefined && <span class="whole-address">{page}</span>}
            {say(isMoved ? 'slugMoves' : 'slugHint')}
          </>
        }
        open={open}
        member="slug"
      >
        {(props) => (
          <input
            {...props}
            value={fields.slug}
            maxLength={100}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => open.edit({ slug: currentTarget.value })}
            onBlur={() => void tidySlug(open)}
          />
        )}
      </PanelField>
      <AssigneeField open={open} />
      <CorrectionsField open={open} />
      <h2 class="side-title">{say('organise')}</h2>
      <PanelField label={say('field_category_id')} open={open} member="category_id">
        {(props) => (
          <select
            {...props}
            value={fields.category === undefined ? '' : String(fields.category)}
            onChange={({ currentTarget: { value } }) =>
              open.edit({ category: value === '' ? undefined : Number(value) })
            }
          >
            <option value="">{say('noCategory')}</option>
            {terms.categories.value.map(({ id, name }) => (
              <option key={id} value={String(id)} selected={id === fields.category}>
                {name}
              </option>
            ))}
          </select>
        )}
      </PanelField>
      <TermsField
        kind="tags"
        label={say('field_tags')}
        chosen={fields.tags}
        own={open.article.value?.tags}
        onChange={(change) => open.edit({ tags: change(open.fields.peek().tags) })}
      />
      <FieldProblem open={open} member="tags" />
      <TermsField
        kind="authors"
        label={say('field_authors')}
        chosen={fields.authors}
        own={open.article.value?.authors}
        onChange={(change) => open.edit({ authors: change(open.fields.peek().authors) })}
      />
      <Suspense fallback={null}>
        <Reach open={open} onAsk={onAsk} />
      </Suspense>
    </form>
  );
}

/** The person who works on it, for editors to choose. */
function AssigneeField({ open }: { open: OpenArticle }) {
  const { api, me, notices, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [writers, setWriters] = useState<readonly Assignable[]>([]);
  const mayAssign = me.may('edit');
  useEffect(() => {
    // Whoever has it now is shown all the same.
    if (mayAssign) api.writers().then(setWriters, () => undefined);
  }, [api, mayAssign]);
  const article = open.article.value;
  const assignee = article?.assignee ?? null;
  if (article === undefined) return null;
  if (!mayAssign)
    return assignee === null ? null : (
      <p class="field">{say('assignedTo', { name: texts.name(assignee.name) })}</p>
    );
  const isOffered = assignee === null || writers.some(({ authorId }) => authorId === assignee.id);
  const offered = isOffered ? writers : [...writers, { name: assignee.name, authorId: assignee.id }];
  const assign = async (author: string) => {
    const refused = await open.assign(author === '' ? null : Number(author));
    if (refused === undefined) return notices.settle();
    const reason = refused === 'unsaved' ? say('notSavedYet') : problemWords(refused, say);
    notices.failed(say('notChanged', { reason }));
  };
  return (
    <div class="field">
      <label for={id}>{say('assignee')}</label>
      <select
        id={id}
        value={assignee === null ? '' : String(assignee.id)}
        onChange={({ currentTarget: { value } }) => void assign(value)}
      >
        <option value="">{say('nobody')}</option>
        {offered.map(({ name, authorId }) => (
          <option key={authorId} value={String(authorId)} selected={authorId === assignee?.id}>
            {texts.name(name)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Makes a slug of what was typed as one. */
async function tidySlug(open: OpenArticle): Promise<void> {
  const { slug } = open.fields.peek();
  if (slug === '' || /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)) return;
  const tidied = await slugOf(slug).catch(() => slug);
  if (open.fields.peek().slug === slug && tidied !== slug) open.edit({ slug: tidied });
}
