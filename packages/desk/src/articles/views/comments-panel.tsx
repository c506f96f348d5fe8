import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Service } from '../../shared/api/service.ts';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { type Comment, CommentsApi } from '../api/comments.ts';
import { useApp } from '../app-context.ts';
import { Comments, type Thread } from '../state/comments.ts';
import type { TextName } from '../text/texts.ts';

/** The longest comment, in characters. */
const LONGEST = 2000;

/** The comments of an article. */
export function commentsOf(service: Service, id: number): Comments {
  return new Comments(new CommentsApi(service), id);
}

export interface CommentsPanelProps {
  comments: Comments;
  onClose: () => void;
}

/** The comments on an article, beside its text. */
export function CommentsPanel({ comments, onClose }: CommentsPanelProps) {
  const { say } = useApp().texts;
  const { threads } = comments;
  const draft = comments.draft.value;
  useEffect(() => {
    void comments.load().catch(() => undefined);
  }, [comments]);
  return (
    <section class="article-side comments" aria-label={say('comments')}>
      <div class="comments-head">
        <h2 class="side-title">{say('comments')}</h2>
        <span class="space" />
        <IconButton icon="close" label={say('close')} onClick={onClose} />
      </div>
      <label class="comments-resolved">
        <input
          type="checkbox"
          checked={comments.showsResolved.value}
          onChange={({ currentTarget }) => {
            comments.showsResolved.value = currentTarget.checked;
          }}
        />
        <span>{say('showResolved')}</span>
      </label>
      {draft === undefined ? (
        <Button
          icon="add"
          onClick={() => {
            comments.draft.value = null;
          }}
        >
          {say('commentWhole')}
        </Button>
      ) : (
        <div class="comment-draft">
          <Quote text={draft?.exact} />
          <Composer
            key={JSON.stringify(draft)}
            label="comment"
            action="sendComment"
            onSend={async (text, key) => {
              const id = await comments.add({ text, anchor: draft }, key);
              comments.draft.value = undefined;
              comments.active.value = { id, isInText: true };
            }}
            onCancel={() => {
              comments.draft.value = undefined;
            }}
          />
        </div>
      )}
      {threads.length === 0 && <p class="hint">{say('commentsHint')}</p>}
      <ol class="comment-threads">
        {threads.map((thread) => (
          <ThreadView key={thread.id} comments={comments} thread={thread} />
        ))}
      </ol>
    </section>
  );
}

function Quote({ text }: { text: string | undefined }) {
  const { say } = useApp().texts;
  if (text === undefined) return <p class="hint">{say('wholeArticle')}</p>;
  return (
    <blockquote class="comment-quote" dir="auto">
      {text}
    </blockquote>
  );
}

function ThreadView({ comments, thread }: { comments: Comments; thread: Thread }) {
  const { texts } = useApp();
  const { say } = texts;
  const [isAnswering, setAnswering] = useState(false);
  const [problem, attempt] = useAttempt();
  const item = useRef<HTMLLIElement>(null);
  const { id, anchor, answers, may, resolved_at: resolvedAt } = thread;
  const active = comments.active.value;
  const isActive = active?.id === id;
  const isChosen = isActive && active.isInText;
  const isResolved = resolvedAt !== null;
  const isGone = comments.lost.value.has(id);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [active, isChosen]);
  const who = thread.resolved_by?.name ?? say('somebody');
  return (
    <li ref={item} class={isActive ? 'comment-thread active' : 'comment-thread'} aria-current={isActive}>
      {anchor === null || isGone || isResolved ? (
        <>
          <Quote text={anchor?.exact} />
          {isGone && <p class="hint">{say('placeGone')}</p>}
        </>
      ) : (
        <button
          type="button"
          class="comment-quote"
          dir="auto"
          onClick={() => {
            comments.active.value = { id, isInText: false };
          }}
        >
          {anchor.exact}
        </button>
      )}
      <Remark comments={comments} comment={thread} />
      {answers.length > 0 && (
        <ol class="comment-answers">
          {answers.map((answer) => (
            <li key={answer.id}>
              <Remark comments={comments} comment={answer} />
            </li>
          ))}
        </ol>
      )}
      {isResolved && (
        <p class="hint">
          {say('resolvedBy', { who: texts.name(who) })} · {texts.date(Date.parse(resolvedAt))}
        </p>
      )}
      {isAnswering ? (
        <Composer
          label="answer"
          action="sendAnswer"
          onSend={async (text, key) => {
            await comments.add({ text, parent_id: id }, key);
            setAnswering(false);
          }}
          onCancel={() => setAnswering(false)}
        />
      ) : (
        <div class="comment-buttons">
          <Button onClick={() => setAnswering(true)}>{say('answer')}</Button>
          {may.includes('resolve') && (
            <Button onClick={() => void attempt(() => comments.resolve(id, !isResolved))}>
              {say(isResolved ? 'openAgain' : 'resolve')}
            </Button>
          )}
        </div>
      )}
      <p class="form-problem" role="alert">
        {problem}
      </p>
    </li>
  );
}

/** A comment, and the actions on it. */
function Remark({ comments, comment }: { comments: Comments; comment: Comment }) {
  const { texts } = useApp();
  const { say } = texts;
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const [problem, attempt] = useAttempt();
  const { id, key, text, may, created_at: createdAt, edited_at: editedAt } = comment;
  return (
    <div class="comment">
      <p class="comment-by">
        <strong>{texts.name(key?.name ?? say('somebody'))}</strong>{' '}
        <span class="hint">
          {texts.date(Date.parse(createdAt))}
          {editedAt !== null && ` · ${say('commentChanged')}`}
        </span>
      </p>
      {doing === 'edit' ? (
        <Composer
          label="comment"
          action="save"
          text={text}
          onSend={async (changed) => {
            await comments.edit(id, changed);
            setDoing(undefined);
          }}
          onCancel={() => setDoing(undefined)}
        />
      ) : (
        <p class="comment-text" dir="auto">
          {text}
        </p>
      )}
      {doing === undefined && (may.includes('edit') || may.includes('delete')) && (
        <div class="comment-buttons">
          {may.includes('edit') && (
            <Button kind="quiet" onClick={() => setDoing('edit')}>
              {say('change')}
            </Button>
          )}
          {may.includes('delete') && (
            <Button kind="quiet" onClick={() => setDoing('delete')}>
              {say('delete')}
            </Button>
          )}
        </div>
      )}
      {doing === 'delete' && (
        <div class="comment-buttons" role="group" aria-label={say('deleteComment')}>
          <p class="hint">{say('deleteComment')}</p>
          <Button onClick={() => setDoing(undefined)}>{say('cancel')}</Button>
          <Button kind="danger" onClick={() => void attempt(() => comments.remove(id))}>
            {say('delete')}
          </Button>
        </div>
      )}
      <p class="form-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}

interface ComposerProps {
  label: TextName;
  action: TextName;
  text?: string;
  /** Gets a key that is the same for every attempt. */
  onSend: (text: string, key: string) => Promise<void>;
  onCancel: () => void;
}

/** Where a comment is written; what could not be sent stays. */
function Composer({ label, action, text = '', onSend, onCancel }: ComposerProps) {
  const { say } = useApp().texts;
  const id = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const [written, setWritten] = useState(text);
  const [key] = useState(() => crypto.randomUUID());
  const [problem, attempt, isBusy] = useAttempt();
  useEffect(() => input.current?.focus(), []);
  const send = () => {
    if (written.trim() !== '' && !isBusy) void attempt(() => onSend(written, key));
  };
  return (
    <form
      class="comment-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="unseen" for={id}>
        {say(label)}
      </label>
      <textarea
        ref={input}
        id={id}
        rows={3}
        dir="auto"
        maxLength={LONGEST}
        value={written}
        onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          // The page publishes with these keys.
          event.preventDefault();
          event.stopPropagation();
          send();
        }}
      />
      <p class="form-problem" role="alert">
        {problem}
      </p>
      <div class="comment-buttons">
        <Button onClick={onCancel}>{say('cancel')}</Button>
        <Button kind="primary" type="submit" disabled={isBusy || written.trim() === ''}>
          {say(action)}
        </Button>
      </div>
    </form>
  );
}

/** Does something, and says why it failed. */
function useAttempt() {
  const { say } = useApp().texts;
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const attempt = async (work: () => Promise<unknown>) => {
    setProblem('');
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setProblem(errorWords(error, say));
    }
    if (!isGone.current) setBusy(false);
  };
  return [problem, attempt, isBusy] as const;
}
