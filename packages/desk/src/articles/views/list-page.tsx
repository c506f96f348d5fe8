import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { useTitle } from '../../shared/views/use-title.ts';
import { useApp } from '../app-context.ts';
import { ArticleTable } from './article-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';

/** The articles: which ones are shown, what can be done with them, and they themselves. */
export function ListPage() {
  const { list, me, texts } = useApp();
  const { say } = texts;
  useTitle(say('articles'));
  return (
    <>
      <h1 class="unseen">{say('articles')}</h1>
      {list.chosen.value.size > 0 && me.may('edit') ? <SelectionBar /> : <FilterBar />}
      {list.articles.value.length > 0 ? <ArticleTable /> : <NoArticles />}
      <Status />
    </>
  );
}

function NoArticles() {
  const { list, place, texts } = useApp();
  const { say } = texts;
  const { status, text, category, tag, author, mine } = place.value.value;
  const problem = list.problem.value;
  if (list.state.value === 'loading') return <Loading />;
  if (list.state.value === 'failed' && problem !== undefined) {
    return (
      <ProblemView problem={problem} words={problemWords(problem, say)} onRetry={() => void list.refresh()} />
    );
  }
  const isFiltered = mine || status !== 'all' || [text, category, tag, author].some((value) => value !== '');
  return (
    <div class="empty">
      <Icon name={isFiltered ? 'search' : 'articles'} size={32} />
      <p class="empty-title">{say(isFiltered ? 'nothingFound' : 'nothing')}</p>
      {!isFiltered && <p class="hint">{say('nothingHint')}</p>}
    </div>
  );
}

function Status() {
  const { list, texts } = useApp();
  const total = list.total.value;
  const count = total ?? list.articles.value.length;
  const isWhole = total !== undefined || list.state.value === 'complete';
  return (
    <footer class="status">
      <span role="status">
        {texts.say(list.isInexact.value ? 'countedMore' : isWhole ? 'counted' : 'countedSoFar', { count })}
      </span>
    </footer>
  );
}
