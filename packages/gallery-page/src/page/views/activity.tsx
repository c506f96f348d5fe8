import { useApp } from '../app-context.ts';
import { nameOf } from '../state/place.ts';
import type { Task } from '../state/tasks.ts';
import type { Texts } from '../text/texts.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { problemWords } from './problem-view.tsx';

/** What is being done, and what has come of it. */
export function Activity() {
  const { tasks, texts } = useApp();
  return (
    <section class="activity" aria-label={texts.say('activity')} aria-live="polite">
      {tasks.list.value.map((task) => (
        <TaskView key={task.id} task={task} />
      ))}
    </section>
  );
}

function TaskView({ task }: { task: Task }) {
  const { tasks, texts } = useApp();
  const { say } = texts;
  const { state, batch, problem, handled } = task;
  const canUndo = state === 'done' && (batch.action === 'move' || batch.action === 'rename');
  return (
    <div class={`task ${state}`}>
      {state === 'running' ? (
        <span class="spinner small" />
      ) : (
        <Icon name={state === 'done' ? 'done' : 'alert'} size={16} />
      )}
      <div class="task-words">
        <p>{words(task, texts)}</p>
        {state === 'running' && batch.paths.length > 1000 && (
          <p class="hint">{say('progressOf', { done: handled, total: batch.paths.length })}</p>
        )}
        {problem !== undefined && <p class="hint">{say('failed', { reason: problemWords(problem, say) })}</p>}
        {state === 'interrupted' && <p class="hint">{say('interrupted')}</p>}
      </div>
      {canUndo && (
        <Button kind="quiet" onClick={() => void tasks.undo(task)}>
          {say('undo')}
        </Button>
      )}
      {(state === 'failed' || state === 'interrupted') && (
        <Button kind="quiet" onClick={() => void tasks.resume(task)}>
          {say(state === 'interrupted' || problem?.code === 'operation_incomplete' ? 'finish' : 'tryAgain')}
        </Button>
      )}
      {state !== 'running' && (
        <IconButton icon="close" label={say('dismiss')} onClick={() => tasks.dismiss(task)} />
      )}
    </div>
  );
}

/** What a task does or has done. */
function words({ batch, state, affected }: Task, texts: Texts): string {
  const { say } = texts;
  if (batch.action === 'rename') {
    const names = { name: nameOf(batch.paths[0]), to: nameOf(batch.to) };
    return say(state === 'done' ? 'renamed' : 'renaming', names);
  }
  const folder = texts.folder(batch.dest ?? '');
  if (state === 'done' && affected === 0) return say('nothingDone');
  const count = state === 'done' ? affected : batch.paths.length;
  const texting = {
    delete: ['deleting', 'deleted'],
    move: ['moving', 'moved'],
    copy: ['copying', 'copiedTo'],
  } as const;
  const [doing, done] = texting[batch.action];
  return say(state === 'done' ? done : doing, { count, folder });
}
