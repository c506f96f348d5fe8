import { useFollowing, useTitle } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import type { ListQuery } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { ArticleTable } from './article-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { StateTabs } from './state-tabs.tsx';

/** The articles: which ones are shown, what can be done with them, and they themselves. */
export function ListPage() {
  const { list, me, place, texts } = useApp();
  const { say } = texts;
  useTitle(say('articles'));
  useFollowing((isOpening) => list.follow(isOpening));
  // Filters wait until there is something to choose from.
  const { all, trash } = list.counts.value;
  const isEmpty = all === 0 && trash === 0 && !isNarrowed(place.value.value);
  return (
    <>
      <h1 class="unseen">{say('articles')}</h1>
      {!isEmpty && <StateTabs />}
      {!isEmpty && list.chosen.value.size > 0 && me.may('edit') && <SelectionBar />}
      {!isEmpty && <FilterBar />}
      {list.articles.value.length > 0 ? <ArticleTable /> : <NoArticles />}
      <Status />
    </>
  );
}

function NoArticles() {
  const { list, me, place, texts } = useApp();
  const { say } = texts;
  const { status } = place.value.value;
  const problem = list.problem.value;
  if (list.state.value === 'loading') return <Loading />;
  if (list.state.value === 'failed' && problem !== undefined) {
    return (
      <ProblemView problem={problem} words={problemWords(problem, say)} onRetry={() => void list.refresh()} />
    );
  }
  const isFiltered = isNarrowed({ ...place.value.value, status: 'all' });
  if (isFiltered || status !== 'all')
    return (
      <div class="empty">
        <Icon name={isFiltered ? 'search' : 'articles'} size={32} />
        <p class="empty-title">{say(isFiltered ? 'nothingFound' : 'nothingInState')}</p>
        {!isFiltered && status !== 'all' && <p class="hint">{say(`hint_${status}`)}</p>}
      </div>
    );
  return (
    <div class="empty">
      <Icon name="articles" size={32} />
      <p class="empty-title">{say('nothing')}</p>
      <p class="hint">{say('nothingHint')}</p>
      {me.may('write') && (
        <div class="empty-buttons">
          <Link to="articles/new" class="button primary">
            <Icon name="edit" />
            <span>{say('writeFirst')}</span>
          </Link>
          {me.may('edit') && (
            <Link to="moving" class="button plain">
              <Icon name="download" />
              <span>{say('importFirst')}</span>
            </Link>
          )}
        </div>
      )}
    </div>
  );
}

/** True if not everything is listed. */
function isNarrowed({ status, text, category, tag, author, mine }: ListQuery): boolean {
  return mine || status !== 'all' || [text, category, tag, author].some((value) => value !== '');
}

function Status() {
  const { list, texts } = useApp();
  const total = list.total.value;
  const count = total ?? list.articles.value.length;
  const waiting = list.waiting.value;
  const isWhole = total !== undefined || list.state.value === 'complete';
  return (
    <footer class="status">
      <span role="status">
        {texts.say(list.isInexact.value ? 'countedMore' : isWhole ? 'counted' : 'countedSoFar', { count })}
      </span>
      <span role="status" class="list-news">
        {waiting !== undefined && (
          <Button kind="primary" onClick={() => void list.show()}>
            {waiting === 0 ? texts.say('showChanges') : texts.say('showNew', { count: waiting })}
          </Button>
        )}
      </span>
    </footer>
  );
}
