import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import type { MenuItem } from '../../shared/views/menu-item.ts';
import { errorWords, problemWords } from '../../shared/views/problem-view.tsx';
import { useMedia } from '../../shared/views/use-wide.ts';
import type { Comment } from '../api/comments.ts';
import type { Review } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { mayChange } from '../state/rights.ts';
import { pageOf } from '../state/site-page.ts';
import type { TextName } from '../text/texts.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { focusActive } from './list-actions.ts';
import { listed } from './seats.ts';
import { reasonWords } from './taken-words.ts';

interface PublishBarProps {
  open: OpenArticle;
  onBack: () => void;
  onAsk: (question: ArticleQuestion) => void;
  /** Shows what two people have made of it. */
  onDecide: () => void;
  onPublish: () => void;
  /** Undefined until they are known. */
  comments: readonly Comment[] | undefined;
  isCommenting: boolean;
  onComments: () => void;
}

/** The state of an article, saved and public, with the buttons that change it. */
export function PublishBar(props: PublishBarProps) {
  const { open, onBack, onAsk, onDecide, onPublish, comments, isCommenting, onComments } = props;
  const { list, me, notices, api, place, presence, texts } = useApp();
  const { say } = texts;
  const article = open.article.value;
  const isPublished = article?.is_published === true;
  const isPlanned = !isPublished && (article?.schedule?.publish_at ?? null) !== null;
  const hasChanges = open.hasCopy.value || open.state.value !== 'clean';
  const canChange = mayChange(me, article);
  const canPublish = me.may('edit');
  const review = open.review.value;
  const canReview = review !== undefined && (review.may.length > 0 || review.steps.length > 0);
  const items: MenuItem[] = [
    ...(canPublish ? [{ value: 'schedule', label: say('schedule') }] : []),
    { value: 'history', label: say('history') },
    ...(canPublish && isPublished ? [{ value: 'unpublish', label: say('unpublish') }] : []),
    ...(canChange && open.hasCopy.value ? [{ value: 'discard', label: say('discardChanges') }] : []),
    ...(canPublish
      ? [{ value: 'delete', label: say('delete'), icon: 'delete', danger: true, heading: '' } as const]
      : []),
  ];
  const title = texts.title(open.fields.peek().title);
  const remove = async () => {
    const { id } = open;
    if (id === undefined) return;
    await api.remove(id);
    list.stepAside([id]);
    notices.done(say('removedNamed', { title }), async () =>
      (await api.restore(id)) ? say('planLost', { count: 1 }) : undefined,
    );
    place.close();
    await list.reread();
    focusActive();
  };
  const follow = async (done: Promise<boolean>) => {
    const before = open.taken.peek();
    if (await done) return notices.settle();
    // That stands beside the buttons already.
    if (['failed', 'conflict'].includes(open.state.peek())) return;
    notices.failed(say('notChanged', { reason: reasonWords(open, before, texts) }));
  };
  const select = (value: string) => {
    if (value === 'schedule' || value === 'history') onAsk({ kind: value });
    if (value === 'unpublish') void follow(open.change({ is_published: false }));
    if (value === 'discard') void follow(open.discard());
    if (value === 'delete')
      notices.askToRemove({
        ...{ count: 1, title, published: Number(isPublished), scheduled: Number(isPlanned) },
        names: listed(
          presence.othersAt(open.id).filter(({ isYou }) => !isYou),
          texts,
        ),
        go: () =>
          void remove().catch((error: unknown) =>
            notices.failed(say('notChanged', { reason: errorWords(error, say) })),
          ),
      });
  };
  // Where there is little room, this stays while the rest of the bars scrolls away.
  const isNarrow = useMedia('(max-width: 900px)');
  const saving = canChange ? (
    <SaveState open={open} onDecide={onDecide} />
  ) : (
    <span class="save-state">{say('onlyRead')}</span>
  );
  const publishing = (
    <>
      {canPublish && isPlanned && (
        <Button onClick={() => void follow(open.change({ publish_at: null, release: null }))}>
          {say('unschedule')}
        </Button>
      )}
      {canPublish && (!isPublished || hasChanges) && (
        <Button kind="primary" onClick={onPublish}>
          {say(isPublished ? 'publishChanges' : 'publish')}
        </Button>
      )}
    </>
  );
  const back = <IconButton icon="previous" label={say('back')} onClick={onBack} />;
  const bar = (
    <div class="toolbar publish-bar">
      {!isNarrow && back}
      <div class="article-standing">
        <Standing open={open} />
        {!isNarrow && saving}
      </div>
      <div class="publish-buttons">
        {open.id !== undefined && (
          <>
            {comments !== undefined && (
              <Button kind="quiet" aria-expanded={isCommenting} onClick={onComments}>
                {say('openComments', {
                  count: comments.filter((one) => one.parent_id === null && one.resolved_at === null).length,
                })}
              </Button>
            )}
            {canReview && (
              <Button onClick={() => onAsk({ kind: 'review' })}>
                {say(canPublish ? 'review' : reviewName(review?.state))}
              </Button>
            )}
            {canChange && (
              <Button kind="quiet" onClick={() => onAsk({ kind: 'preview' })}>
                {say('preview')}
              </Button>
            )}
            <Menu label={say('moreActions')} items={items} onSelect={select}>
              <Icon name="more" />
            </Menu>
          </>
        )}
        {!isNarrow && publishing}
      </div>
    </div>
  );
  if (!isNarrow) return bar;
  return (
    <>
      <div class="toolbar publish-now">
        {back}
        {saving}
        <span class="space" />
        {publishing}
      </div>
      {bar}
    </>
  );
}

/** Tells if readers see the article, and until when. */
function Standing({ open }: { open: OpenArticle }) {
  const { site, texts } = useApp();
  const { say } = texts;
  const article = open.article.value;
  const page = pageOf(site.value, article);
  const state = open.review.value?.state ?? 'none';
  const { who, at = 0 } = open.copyKey.value ?? {};
  const isOthers = who !== undefined && who !== site.value?.person;
  if (article === undefined) return <span class="badge">{say('draft')}</span>;
  const { is_published: isPublished, published_at: publishedAt, schedule } = article;
  const plannedAt = schedule?.publish_at ?? null;
  const endsAt = schedule?.unpublish_at ?? null;
  const date = (time: string) => texts.date(Date.parse(time));
  return (
    <span class="standing">
      <span class={isPublished ? 'badge on' : 'badge'}>
        {say(isPublished ? 'published' : plannedAt === null ? 'draft' : 'scheduled')}
      </span>
      {state !== 'none' && <span class={state === 'approved' ? 'badge on' : 'badge'}>{say(state)}</span>}
      <span class="hint">
        {isPublished &&
          publishedAt !== null &&
          !open.hasCopy.value &&
          say('publishedOn', { date: date(publishedAt) })}
        {isPublished && open.hasCopy.value && say('hiddenChanges')}
        {isOthers && ` · ${say('byAt', { who, date: texts.date(at) })}`}
        {!isPublished && plannedAt !== null && say('plannedFor', { date: date(plannedAt) })}
        {endsAt !== null && ` · ${say('endsOn', { date: date(endsAt) })}`}
      </span>
      {isPublished && page !== undefined && (
        <a href={page} target="_blank" rel="noreferrer">
          {say('seeOnSite')}
        </a>
      )}
    </span>
  );
}

function SaveState({ open, onDecide }: { open: OpenArticle; onDecide: () => void }) {
  const { api, me, texts } = useApp();
  const { say } = texts;
  const state = open.state.value;
  const problem = open.problem.value;
  const { id } = open;
  if (state === 'failed' && problem?.status === 404 && id !== undefined) {
    const bringBack = () => api.restore(id).then(() => open.retry());
    return (
      <span class="save-state fault" role="alert">
        {say(me.may('edit') ? 'deletedMeanwhile' : 'deletedMeanwhileAsk')}
        {me.may('edit') && (
          <Button kind="quiet" onClick={() => void bringBack().catch(() => open.retry())}>
            {say('restore')}
          </Button>
        )}
      </span>
    );
  }
  if (state === 'failed' && problem !== undefined) {
    return (
      <span class="save-state fault" role="alert">
        {say('unsaved', { reason: problemWords(problem, say) })}
        {open.isKept.value && problem.passes && ` ${say('keptHere')}`}
        <Button kind="quiet" onClick={() => void open.save()}>
          {say('tryAgain')}
        </Button>
      </span>
    );
  }
  if (state === 'conflict') {
    return (
      <span class="save-state fault" role="status">
        {say('conflictState')}
        <Button kind="quiet" onClick={onDecide}>
          {say('decide')}
        </Button>
      </span>
    );
  }
  const words = () => {
    if (state === 'loading' || state === 'failed') return '';
    if (state === 'clean' && open.id === undefined) return '';
    return say(state !== 'clean' && open.isKept.value ? 'savedHere' : state);
  };
  return (
    <span class="save-state" role="status">
      {words()}
    </span>
  );
}

/** What the button of a writer leads to. */
function reviewName(state: Review['state'] = 'none'): TextName {
  return state === 'none' || state === 'returned' ? 'submitForReview' : 'reviewStatus';
}
