import type { ComponentChildren } from 'preact';
import { canShow } from '../../shared/state/store.ts';
import { useApp } from '../app-context.ts';
import type { Fields } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { cutAfter, shownOf as lengthsOf, SHOWN } from '../state/shown-length.ts';
import { pageOf } from '../state/site-page.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { Checklist } from './checklist.tsx';
import { PictureField } from './featured-image.tsx';
import { FieldProblem } from './field-problem.tsx';
import { PanelField } from './panel-field.tsx';
import { visit } from './visit.ts';

interface ReachProps {
  open: OpenArticle;
  onAsk: (question: ArticleQuestion) => void;
}

/** Previews of search results and networks' cards, and warnings. */
export function Reach({ open, onAsk }: ReachProps) {
  const { texts } = useApp();
  const { say } = texts;
  const fields = open.fields.value;
  const shown = shownOf(fields);
  return (
    <>
      <Group title={say('keySearch')}>
        <PanelField
          label={say('field_meta_title')}
          hint={<Length text={shown.search.title} most={SHOWN.search.title} />}
          open={open}
          member="meta_title"
        >
          {(props) => (
            <input
              {...props}
              value={fields.metaTitle}
              placeholder={fields.title}
              maxLength={255}
              onInput={({ currentTarget }) => open.edit({ metaTitle: currentTarget.value })}
            />
          )}
        </PanelField>
        <PanelField
          label={say('field_meta_description')}
          hint={<Length text={shown.search.text} most={SHOWN.search.text} />}
          open={open}
          member="meta_description"
        >
          {(props) => (
            <textarea
              {...props}
              rows={3}
              value={fields.metaDescription}
              placeholder={fields.excerpt}
              maxLength={320}
              onInput={({ currentTarget }) => open.edit({ metaDescription: currentTarget.value })}
            />
          )}
        </PanelField>
        <PanelField
          label={say('field_canonical_url')}
          hint={say('canonicalHint')}
          open={open}
          member="canonical_url"
        >
          {(props) => (
            <input
              {...props}
              type="url"
              value={fields.canonicalUrl}
              placeholder="https://"
              maxLength={500}
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => open.edit({ canonicalUrl: currentTarget.value.trim() })}
            />
          )}
        </PanelField>
        <SearchResult open={open} />
      </Group>
      <Group title={say('social')}>
        <PanelField
          label={say('field_social_title')}
          hint={<Length text={shown.social.title} most={SHOWN.social.title} isNetwork />}
          open={open}
          member="social_title"
        >
          {(props) => (
            <input
              {...props}
              value={fields.socialTitle}
              placeholder={shown.search.title}
              maxLength={255}
              onInput={({ currentTarget }) => open.edit({ socialTitle: currentTarget.value })}
            />
          )}
        </PanelField>
        <PanelField
          label={say('field_social_description')}
          hint={<Length text={shown.social.text} most={SHOWN.social.text} isNetwork />}
          open={open}
          member="social_description"
        >
          {(props) => (
            <textarea
              {...props}
              rows={3}
              value={fields.socialDescription}
              placeholder={shown.search.text}
              maxLength={500}
              onInput={({ currentTarget }) => open.edit({ socialDescription: currentTarget.value })}
            />
          )}
        </PanelField>
        <PictureField
          name="social"
          words={{ choose: 'chooseForNetworks', upload: 'uploadForNetworks', remove: 'removeForNetworks' }}
          label={say('field_social_image')}
          src={fields.socialImage}
          alt=""
          onAsk={onAsk}
          onTake={(socialImage) => open.edit({ socialImage })}
        />
        <FieldProblem open={open} member="social_image" />
        <p class="hint">{say('socialHint')}</p>
        <Cards open={open} />
      </Group>
      <Group title={say('checks')}>
        <Checklist open={open} onVisit={visit} />
      </Group>
    </>
  );
}

/** Fields that belong together, which can be put away. */
function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details class="side-group" open>
      <summary>
        <h2 class="side-title">{title}</h2>
      </summary>
      {children}
    </details>
  );
}

/** The texts of search results and cards, each falling back to the one before. */
function shownOf(fields: Fields) {
  const search = {
    title: fields.metaTitle || fields.title,
    text: fields.metaDescription || fields.excerpt,
  };
  return {
    search,
    social: {
      title: fields.socialTitle || search.title,
      text: fields.socialDescription || search.text,
      image: fields.socialImage || fields.featuredImage,
    },
  };
}

/** The address of the article's page, as far as it is known. */
function usePage(open: OpenArticle): URL | undefined {
  const { site } = useApp();
  const { slug, canonicalUrl } = open.fields.value;
  const article = { id: open.id ?? 0, slug: slug || open.article.value?.slug || '' };
  const page = canonicalUrl || pageOf(site.value, article);
  return page === undefined ? undefined : (URL.parse(page) ?? undefined);
}

/** The article among the results of a search. */
function SearchResult({ open }: { open: OpenArticle }) {
  const { say } = useApp().texts;
  const fields = open.fields.value;
  const page = usePage(open);
  const { title, text } = shownOf(fields).search;
  const path = page?.pathname.split('/').filter(Boolean) ?? [];
  return (
    <figure class="search-result">
      <figcaption class="hint">{say('asSearchResult')}</figcaption>
      <span class="result-address">{[page?.host, ...path].filter(Boolean).join(' › ')}</span>
      <span class="result-title" dir="auto">
        {cutAfter(title || say('untitled'), SHOWN.search.title)}
      </span>
      <span class="result-text" dir="auto">
        {text === '' ? say('noDescription') : cutAfter(text, SHOWN.search.text)}
      </span>
    </figure>
  );
}

/** The article as a shared link, in the two forms that networks have. */
function Cards({ open }: { open: OpenArticle }) {
  const { say, list } = useApp().texts;
  const { title, text, image } = shownOf(open.fields.value).social;
  const host = usePage(open)?.host ?? '';
  const heading = cutAfter(title || say('untitled'), SHOWN.social.title);
  const picture =
    image === '' ? (
      <span class="social-picture hint">{say('noPicture')}</span>
    ) : canShow(image) ? (
      <img class="social-picture" src={image} alt="" />
    ) : (
      <code class="social-picture">{image}</code>
    );
  return (
    <>
      <figure class="social-card">
        <figcaption class="hint">{list(['Facebook', 'LinkedIn'])}</figcaption>
        {picture}
        <span class="card-words">
          <span class="hint">{host}</span>
          <strong dir="auto">{heading}</strong>
          <span class="hint" dir="auto">
            {cutAfter(text, SHOWN.social.text)}
          </span>
        </span>
      </figure>
      <figure class="social-card over">
        <figcaption class="hint">X</figcaption>
        {picture}
        <strong class="card-title" dir="auto">
          {heading}
        </strong>
        <span class="hint">{host}</span>
      </figure>
    </>
  );
}

/** The length of what is shown beside the part that is not cut off. */
function Length({ text, most, isNetwork = false }: { text: string; most: number; isNetwork?: boolean }) {
  const { say } = useApp().texts;
  const shown = lengthsOf(text, most);
  const isLong = shown.length > shown.most;
  const cut = isNetwork ? 'cutOnNetworks' : 'cutOff';
  return <span class={isLong ? 'too-long' : ''}>{say(isLong ? cut : 'lengthOf', shown)}</span>;
}
