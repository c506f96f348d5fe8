import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useFollowing, useTitle } from '../../shared/desk.ts';
import { isApple } from '../../shared/state/apple.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { type App, useApp } from '../app-context.ts';
import { LocalCopies } from '../state/local-copies.ts';
import { type Conflict, OpenArticle } from '../state/open-article.ts';
import { mayChange } from '../state/rights.ts';
import { ArticleDialogs, type ArticleQuestion } from './article-dialogs.tsx';
import { BodyField, useTextEditor } from './body-field.tsx';
import { FieldProblem } from './field-problem.tsx';
import { PublishBar } from './publish-bar.tsx';
import { StepWords } from './review-dialog.tsx';
import { SeatNotice } from './seat-notice.tsx';
import { SidePanel } from './side-panel.tsx';
import { takenWords } from './taken-words.ts';
import { useComments } from './use-comments.ts';
import { usePublish } from './use-publish.ts';
import { useSeat } from './use-seat.ts';

/** The page on which an article is written. */
export function ArticlePage({ id }: { id: number | undefined }) {
  const app = useApp();
  const [open, setOpen] = useState(() => opened(app, id));
  // A new article that gets its id stays open: it is the same one.
  const isOther = open.id !== id;
  const current = useMemo(() => (isOther ? opened(app, id) : open), [app, isOther, id, open]);
  useEffect(() => setOpen(current), [current]);
  return <Editor key={current} open={current} />;
}

function opened({ api, me, place }: App, id: number | undefined): OpenArticle {
  const open = new OpenArticle(api, new LocalCopies(me), id, (created) => place.created(created));
  void open.load();
  return open;
}

function Editor({ open }: { open: OpenArticle }) {
  const { me, place, texts } = useApp();
  const { say } = texts;
  const [question, ask] = useState<ArticleQuestion>();
  const [putOff, setPutOff] = useState<Conflict>();
  const decide = useCallback(() => setPutOff(undefined), []);
  const publish = usePublish(open, ask, decide);
  const { title } = open.fields.value;
  const state = open.state.value;
  const seat = useSeat(open);
  const { comments, marks, isShown, show, CommentsPanel } = useComments(open);
  const isReadOnly = !mayChange(me, open.article.value) || !seat.isWriting;
  const name = title === '' ? say('newArticle') : title;
  useTitle(name);
  useLeaving(open);
  useRetry(open);
  useTaken(open);
  useDue(open);
  useFollowing(async (isOpening) => (isOpening ? undefined : open.follow()));
  useKeys(open, publish, decide);
  const editor = useTextEditor();
  const heading = useRef<HTMLTextAreaElement>(null);
  const isLoading = state === 'loading' && open.article.value === undefined;
  const isNew = open.id === undefined && !isLoading && editor !== undefined;
  useEffect(() => {
    if (isNew && document.activeElement === document.body) heading.current?.focus();
  }, [isNew]);
  // A title without its text would take the words that are typed after Enter.
  if (isLoading || editor === undefined) return <Loading />;
  const problem = open.problem.value;
  if (problem !== undefined && open.article.value === undefined && open.id !== undefined) {
    return (
      <ProblemView problem={problem} words={problemWords(problem, say)} onRetry={() => void open.load()} />
    );
  }
  return (
    <>
      <PublishBar
        open={open}
        onBack={() => place.close()}
        onAsk={ask}
        onDecide={decide}
        onPublish={() => void publish()}
        comments={comments?.list.value}
        isCommenting={isShown}
        onComments={() => show(!isShown)}
      />
      <SeatNotice open={open} seat={seat} />
      <Offer open={open} />
      <LatestStep open={open} />
      <h1 class="unseen">{name}</h1>
      {/* Nothing is written over what was kept before somebody has decided about it. */}
      <div class="article-page" inert={open.offered.value !== undefined}>
        <div class="article-writing">
          <label class="article-title-field">
            <span class="unseen">{say('field_title')}</span>
            <textarea
              ref={heading}
              rows={1}
              value={title}
              placeholder={say('field_title')}
              maxLength={255}
              readOnly={isReadOnly}
              onInput={({ currentTarget }) => open.edit({ title: currentTarget.value.replaceAll('\n', ' ') })}
              onKeyDown={goOnWriting}
            />
          </label>
          <FieldProblem open={open} member="title" />
          <BodyField open={open} editor={editor} isReadOnly={isReadOnly} onAsk={ask} comments={marks} />
          <FieldProblem open={open} member="content" />
        </div>
        {isShown && comments !== undefined && CommentsPanel !== undefined ? (
          <CommentsPanel comments={comments} onClose={() => show(false)} />
        ) : (
          <fieldset class="as-one" disabled={isReadOnly}>
            <SidePanel open={open} onAsk={ask} />
          </fieldset>
        )}
      </div>
      <ArticleDialogs
        open={open}
        isReadOnly={isReadOnly}
        question={question}
        ask={ask}
        putOff={putOff}
        onPutOff={setPutOff}
        onPublish={(decided) => void publish(decided)}
      />
    </>
  );
}

/** Enter leads from the title to the text. */
function goOnWriting(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  document.querySelector<HTMLElement>('.article-writing :is([role="textbox"], .source)')?.focus();
}

/** The last comment on the draft. */
function LatestStep({ open }: { open: OpenArticle }) {
  const { say } = useApp().texts;
  const step = open.review.value?.steps.at(-1);
  if (step === undefined || (step.comment === null && !step.is_change)) return null;
  return (
    <section class="notice review-notice" aria-label={say('comment')}>
      <div>
        <StepWords step={step} />
      </div>
    </section>
  );
}

function Offer({ open }: { open: OpenArticle }) {
  const { texts } = useApp();
  const { say } = texts;
  const offered = open.offered.value;
  if (offered === undefined) return null;
  return (
    <p class="notice article-offer" role="alert">
      {say('localTitle', { date: texts.date(offered.at) })}
      <Button kind="primary" onClick={() => void open.decideLocal(true)}>
        {say('takeUp')}
      </Button>
      <Button onClick={() => void open.decideLocal(false)}>{say('forget')}</Button>
    </p>
  );
}

/**
 * Saves changes when the article is left, or the window is hidden or closed. The list stays where it was,
 * unless something has changed.
 */
function useLeaving(open: OpenArticle): void {
  const { list } = useApp();
  useEffect(() => {
    const onHide = () => {
      if (document.visibilityState === 'hidden') void open.save();
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (['waiting', 'saving', 'conflict', 'failed'].includes(open.state.peek())) event.preventDefault();
    };
    document.addEventListener('visibilitychange', onHide);
    addEventListener('beforeunload', onUnload);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      removeEventListener('beforeunload', onUnload);
      void open.leave().then(() => (open.hasWritten ? list.reread() : undefined));
    };
  }, [list, open]);
}

/** Tries again to load or save when the service is back. */
function useRetry(open: OpenArticle): void {
  const { connection } = useApp();
  const returns = connection.returns.value;
  useEffect(() => {
    if (returns > 0 && open.state.peek() === 'failed') void open.retry();
  }, [open, returns]);
}

/** The time that the service has for what is due, in ms. */
const DUE_MS = 2000;

/** The longest that a browser's timer takes, in ms. */
const MOST_MS = 2 ** 31 - 1;

/** Reads the article again once the time has passed at which it says that it changes. */
function useDue(open: OpenArticle): void {
  const { is_published: isPublished, schedule } = open.article.value ?? {};
  const due = isPublished ? schedule?.unpublish_at : schedule?.publish_at;
  useEffect(() => {
    if (due === null || due === undefined) return;
    const wait = Date.parse(due) + DUE_MS - Date.now();
    if (wait > MOST_MS) return;
    const timer = setTimeout(() => void open.renew(), wait);
    return () => clearTimeout(timer);
  }, [open, due]);
}

/** Says what was taken up from others. */
function useTaken(open: OpenArticle): void {
  const { notices, texts } = useApp();
  useEffect(
    () =>
      open.taken.subscribe((taken) => {
        if (taken !== undefined) notices.done(takenWords(taken, texts));
      }),
    [open, notices, texts],
  );
}

/** A field that is left says what is in it. */
function report(): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return;
  activeElement.blur();
  activeElement.focus({ preventScroll: true });
}

function useKeys(open: OpenArticle, publish: () => Promise<void>, decide: () => void): void {
  const { place } = useApp();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && (event.key === 's' || event.key === 'Enter')) decide();
      if (isCommand && event.key === 's') {
        event.preventDefault();
        report();
        void open.save();
      }
      if (isCommand && event.key === 'Enter') {
        event.preventDefault();
        report();
        void publish();
      }
      if (!isApple && event.altKey && event.key === 'ArrowLeft') {
        event.preventDefault();
        place.close();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open, place, publish, decide]);
}
