import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { useTitle } from '../../shared/views/use-title.ts';
import { KINDS, type Kind, type Term } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { TermDialog } from './term-dialog.tsx';
import { TermTable } from './term-table.tsx';
import { reasonOf } from './words.ts';

/** How long a search waits for the next key, in ms. */
const TYPING_MS = 200;

/** What somebody is asked about one, or about a new one. */
type Question =
  | { readonly what: 'write'; readonly term?: Term }
  | { readonly what: 'merge' | 'remove'; readonly term: Term };

/** The section: categories, tags and authors, one of them at a time. */
export function OrganisePage() {
  const { address, texts } = useOrganise();
  const { say } = texts;
  const { rest } = address.here.value;
  const kind = KINDS.find((one) => one === rest) ?? 'categories';
  useTitle(say(kind), say('organise'));
  return <KindPage key={kind} kind={kind} />;
}

function KindPage({ kind }: { kind: Kind }) {
  const { api, me, texts } = useOrganise();
  const { say } = texts;
  const [text, setText] = useState('');
  const [question, ask] = useState<Question>();
  const [refused, setRefused] = useState<string>();
  const { terms, total, problem, reload, loadMore } = useTerms(kind, text);
  const close = () => ask(undefined);
  const changed = () => {
    close();
    void reload();
  };
  /** Gives every category whose place is another the one that it has now. */
  const move = async (term: Term, by: number) => {
    if (terms === undefined) return;
    setRefused(undefined);
    const order = terms.filter(({ id }) => id !== term.id);
    order.splice(terms.indexOf(term) + by, 0, term);
    try {
      for (const [index, { id, position }] of order.entries())
        if (position !== index + 1) await api.change(kind, id, { position: index + 1 });
    } catch (error) {
      setRefused(reasonOf(asProblem(error), say));
    }
    await reload();
  };
  const isEmpty = terms?.length === 0;
  return (
    <div class="page organise">
      <Header>
        <span class="space" />
        {me.may('edit') && (
          <Button
            kind="primary"
            icon="add"
            aria-label={say(`new_${kind}`)}
            onClick={() => ask({ what: 'write' })}
          >
            {say(`new_${kind}`)}
          </Button>
        )}
      </Header>
      <main class="main organise-main">
        <h1>{say('organise')}</h1>
        <nav class="organise-kinds" aria-label={say('kinds')}>
          {KINDS.map((name) => (
            <Link key={name} to={`organise/${name}`} aria-current={name === kind ? 'page' : undefined}>
              {say(name)}
            </Link>
          ))}
        </nav>
        <p class="hint">{say(`hint_${kind}`)}</p>
        <p class="form-problem" role="alert">
          {refused}
        </p>
        {kind !== 'categories' && (!isEmpty || text !== '') && (
          <div class="search organise-search">
            <Icon name="search" size={16} />
            <input
              type="search"
              aria-label={say('search')}
              placeholder={say('search')}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </div>
        )}
        {terms === undefined ? (
          problem === undefined ? (
            <Loading />
          ) : (
            <ProblemView problem={problem} onRetry={() => void reload()} />
          )
        ) : isEmpty ? (
          <div class="empty">
            <Icon name={text === '' ? 'organise' : 'search'} size={32} />
            <p class="empty-title">{say(text === '' ? `none_${kind}` : 'nothingFound')}</p>
            {text === '' && (
              <p class="hint">{say(kind === 'categories' ? 'noneHint_categories' : 'noneHint_others')}</p>
            )}
          </div>
        ) : (
          <>
            <TermTable
              kind={kind}
              terms={terms}
              onAct={(term, action) => {
                if (action === 'up') void move(term, -1);
                else if (action === 'down') void move(term, 1);
                else ask({ what: action, term });
              }}
            />
            <p class="hint" role="status">
              {say('counted', { count: total })}
            </p>
            {terms.length < total && (
              <div>
                <Button onClick={() => void loadMore()}>{say('more')}</Button>
              </div>
            )}
          </>
        )}
      </main>
      {question?.what === 'write' && (
        <TermDialog kind={kind} term={question.term} onClose={close} onSaved={changed} />
      )}
      {question?.what === 'merge' && kind !== 'categories' && (
        <MergeDialog kind={kind} term={question.term} onClose={changed} onMerged={changed} />
      )}
      {question?.what === 'remove' && (
        <RemoveDialog
          kind={kind}
          term={question.term}
          onClose={close}
          onRemoved={changed}
          onMerge={() => ask({ what: 'merge', term: question.term })}
        />
      )}
    </div>
  );
}

/** Those of a kind with a text in their names, from the first on. */
function useTerms(kind: Kind, text: string) {
  const { api, connection } = useOrganise();
  const [terms, setTerms] = useState<readonly Term[]>();
  const [total, setTotal] = useState(0);
  const [problem, setProblem] = useState<ApiProblem>();
  // Only the answer to the last question is shown.
  const turn = useRef(0);
  const load = async (before: readonly Term[], page: number) => {
    turn.current += 1;
    const mine = turn.current;
    setProblem(undefined);
    try {
      const found = await api.list(kind, text.trim(), page);
      if (mine !== turn.current) return;
      setTerms([...before, ...found.terms]);
      setTotal(found.total);
    } catch (error) {
      if (mine !== turn.current) return;
      setTerms(undefined);
      setProblem(asProblem(error));
    }
  };
  const returns = connection.returns.value;
  useEffect(() => {
    const timer = setTimeout(() => void load([], 1), text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [api, kind, text, returns]);
  return {
    terms,
    total,
    problem,
    reload: () => load([], 1),
    loadMore: () => load(terms ?? [], Math.floor((terms?.length ?? 0) / 100) + 1),
  };
}
