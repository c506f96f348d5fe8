import { useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import { useTitle } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { type Kind, PER_PAGE, type Term, type TermPage } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { Frame, PLACES } from './frame.tsx';
import { Listing, SearchField, usePages } from './listing.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { RedirectsPage } from './redirects-page.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { TermDialog } from './term-dialog.tsx';
import { TermTable } from './term-table.tsx';
import { reasonOf } from './words.ts';

const NOTHING: TermPage = { terms: [], total: 0 };

/** The open dialog; without a term it is about a new one. */
type Question =
  | { readonly what: 'write'; readonly term?: Term }
  | { readonly what: 'merge' | 'remove'; readonly term: Term };

/** The section: categories, tags, authors or redirects, one of them at a time. */
export function OrganisePage() {
  const { address, texts } = useOrganise();
  const { say } = texts;
  const { rest } = address.here.value;
  const place = PLACES.find((one) => one === rest) ?? 'categories';
  useTitle(say(place), say('organise'));
  return place === 'redirects' ? <RedirectsPage /> : <KindPage key={place} kind={place} />;
}

function KindPage({ kind }: { kind: Kind }) {
  const { api, texts } = useOrganise();
  const { say } = texts;
  const [text, setText] = useState('');
  const [question, ask] = useState<Question>();
  const [refused, setRefused] = useState<string>();
  const { found, problem, reload, loadMore } = usePages<TermPage>(text, [api, kind], async (before) => {
    const terms = before?.terms ?? [];
    const next = await api.list(kind, text.trim(), Math.floor(terms.length / PER_PAGE) + 1);
    return { terms: [...terms, ...next.terms], total: next.total };
  });
  const { terms, total } = found ?? NOTHING;
  const close = () => ask(undefined);
  const changed = () => {
    close();
    void reload();
  };
  /** Gives every category whose place is another the one that it has now. */
  const move = async (term: Term, by: number) => {
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
  const isEmpty = found?.terms.length === 0;
  return (
    <div class="page organise">
      <Frame place={kind} onNew={() => ask({ what: 'write' })}>
        <p class="form-problem" role="alert">
          {refused}
        </p>
        {kind !== 'categories' && (!isEmpty || text !== '') && (
          <SearchField label={say('search')} text={text} onText={setText} />
        )}
        <Listing
          count={found?.terms.length}
          {...{ problem, reload, text }}
          none={say(`none_${kind}`)}
          noneHint={say(`noneHint_${kind}`)}
          notFound={say('nothingFound')}
        >
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
            {say(`counted_${kind}`, { count: total })}
          </p>
          {terms.length < total && (
            <div>
              <Button onClick={() => void loadMore()}>{say('more')}</Button>
            </div>
          )}
        </Listing>
      </Frame>
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
