import { useEffect } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Task } from '../state/task.ts';
import type { Texts } from '../text/texts.ts';

/** The most tasks that are shown at once. */
const MOST = 3;

/** The times after which the outcome of a task leaves, in ms: of one that can be undone later. */
const STAY_MS = { plain: 10_000, undo: 30_000 };

/** Tasks under way, and their outcome. */
export function Activity() {
  const { tasks } = useApp();
  return (
    <>
      {tasks.list.value.slice(-MOST).map((task) => (
        <TaskView key={task.id} task={task} />
      ))}
    </>
  );
}

function TaskView({ task }: { task: Task }) {
  const { tasks, texts, transfers, uses } = useApp();
  const { say } = texts;
  const { state, undo, problem, work } = task;
  const followed = uses.followed.value.get(task.id);
  const isRunning = state === 'running';
  const stay = state === 'done' ? STAY_MS[undo.length > 0 ? 'undo' : 'plain'] : undefined;
  // What has failed stays: somebody has to finish it.
  useEffect(() => {
    if (stay === undefined) return;
    const timer = setTimeout(() => tasks.dismiss(task), stay);
    return () => clearTimeout(timer);
  }, [tasks, task.id, stay]);
  const gone = ('gone' in work && work.gone) || 0;
  return (
    <div class={`task ${state}`}>
      {isRunning ? (
        <span class="spinner small" />
      ) : (
        <Icon name={state === 'done' ? 'done' : 'alert'} size={16} />
      )}
      <div class="task-words">
        <p>{words(task, texts)}</p>
        {isRunning && <Progress task={task} />}
        {problem !== undefined && (
          <p class="hint">
            {isRunning ? problemWords(problem, say) : say('failed', { reason: problemWords(problem, say) })}
          </p>
        )}
        {followed?.count !== undefined && (followed.count > 0 || followed.hidden === 0) && (
          <p class="hint">{say('addressesChanged', { count: followed.count })}</p>
        )}
        {followed !== undefined && followed.hidden > 0 && (
          <p class="hint">{say('addressesHidden', { count: followed.hidden })}</p>
        )}
        {gone > 0 && <p class="hint">{say('noLongerThere', { count: gone })}</p>}
        {state === 'interrupted' && <p class="hint">{say('interrupted')}</p>}
      </div>
      {state === 'done' && undo.length > 0 && (
        <Button kind="quiet" onClick={() => void transfers.undo(task)}>
          {say('undo')}
        </Button>
      )}
      {(state === 'failed' || state === 'interrupted') && (
        <Button kind="quiet" onClick={() => void tasks.resume(task)}>
          {say(state === 'interrupted' || problem?.code === 'operation_incomplete' ? 'finish' : 'tryAgain')}
        </Button>
      )}
      {!isRunning && <IconButton icon="close" label={say('dismiss')} onClick={() => tasks.dismiss(task)} />}
    </div>
  );
}

/** Not read out each time that it changes. */
function Progress({ task }: { task: Task }) {
  const { steps, done, progress, work } = task;
  const { texts } = useApp();
  const { say } = texts;
  if (progress === undefined && steps.length === 1) return null;
  const { done: handled = 0, total = null } = progress ?? {};
  if (steps.length === 1 && total === null) {
    return handled === 0 ? null : (
      <p class="hint" aria-live="off">
        {say('filesSoFar', { count: handled })}
      </p>
    );
  }
  const now = (done + (total === null || total === 0 ? 0 : handled / total)) / steps.length;
  // Each object of a move or of a deletion to the trash is copied, then deleted where it was.
  const perObject = work.action === 'copy' ? 1 : 2;
  return (
    <div class="task-progress" aria-live="off">
      <progress aria-label={words(task, texts)} max={1} value={now} />
      <span class="hint">
        {steps.length === 1 && total !== null
          ? say('progressOf', { done: Math.floor(handled / perObject), total: Math.ceil(total / perObject) })
          : `${Math.floor(now * 100)} %`}
      </span>
    </div>
  );
}

function words({ work, state, affected }: Task, texts: Texts): string {
  const { say } = texts;
  const isDone = state === 'done';
  if (work.action === 'rename') {
    return say(isDone ? 'renamed' : 'renaming', { name: work.from, to: work.to });
  }
  if (isDone && affected === 0) return say('nothingDone');
  const texting = {
    delete: ['deleting', 'deleted'],
    restore: ['restoring', 'restored'],
    move: ['moving', 'moved'],
    copy: ['copying', 'copiedTo'],
    undo: ['undoing', 'undone'],
  } as const;
  const [doing, done] = texting[work.action];
  const folder = 'dest' in work ? texts.folder(work.dest) : '';
  return say(isDone ? done : doing, { count: isDone ? affected : work.count, folder });
}
