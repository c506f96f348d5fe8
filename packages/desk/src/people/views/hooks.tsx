import { useEffect, useId, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { zonedTime } from '../../shared/state/local-time.ts';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { TimeField } from '../../shared/views/time-field.tsx';
import { ZoneHint } from '../../shared/views/zone-hint.tsx';
import { type Delivery, EVENTS, type Hook } from '../api/integrations.ts';
import { usePeople } from '../people-context.ts';
import type { Texts } from '../text/texts.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { ListPage, Sure, useListed } from './list-page.tsx';
import { eventWords, refusalOf } from './words.ts';

/** The open dialog. */
type Question =
  | { readonly what: 'new' }
  | { readonly what: 'replay' | 'remove'; readonly hook: Hook }
  | { readonly what: 'deliveries'; readonly hook: Hook; readonly tested?: number };

/** The addresses that are told of what happens to articles. */
export function HooksPage() {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const list = useListed(() => integrations.hooks(), refusalOf);
  const [question, ask] = useState<Question>();
  const [secret, setSecret] = useState<string>();
  const close = () => ask(undefined);
  const act = (hook: Hook, action: string) => {
    if (action === 'replay' || action === 'remove' || action === 'deliveries')
      return ask({ what: action, hook });
    void list.attempt(async () => {
      if (action === 'test') ask({ what: 'deliveries', hook, tested: await integrations.testHook(hook.id) });
      else if (action === 'secret') setSecret(await integrations.newSecret(hook.id));
      else await integrations.pauseHook(hook.id, action === 'pause');
    });
  };
  return (
    <>
      <ListPage name="hooks" list={list} onNew={() => ask({ what: 'new' })}>
        <table class="people-table trail-table">
          <thead>
            <tr>
              <th scope="col">{say('hookUrl')}</th>
              <th scope="col">{say('hookEvents')}</th>
              <th scope="col">{say('state')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {list.listed?.map((hook) => (
              <tr key={hook.id}>
                <th scope="row">{hook.url}</th>
                <td>
                  {texts.list(hook.events.map((event) => eventWords(event, say)))}
                  {hook.drafts && ` · ${say('hookDrafts')}`}
                </td>
                <td>{stateOf(hook, texts)}</td>
                <td>
                  <Menu
                    label={say('actionsFor', { name: hook.url })}
                    items={[
                      { value: 'deliveries', label: say('deliveries'), icon: 'table' },
                      ...(hook.paused_at === null
                        ? [
                            { value: 'test', label: say('testHook'), icon: 'retry' as const },
                            { value: 'pause', label: say('pauseHook'), icon: 'pause' as const },
                          ]
                        : [{ value: 'resume', label: say('resumeHook'), icon: 'resume' as const }]),
                      { value: 'replay', label: say('replayHook'), icon: 'undo' },
                      { value: 'secret', label: say('newSecret'), icon: 'edit' },
                      { value: 'remove', label: say('remove'), icon: 'delete', danger: true, heading: '' },
                    ]}
                    onSelect={(value) => act(hook, value)}
                  >
                    <Icon name="more" />
                  </Menu>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ListPage>
      {question?.what === 'new' && (
        <HookDialog
          onClose={close}
          onAdded={(value) => {
            close();
            setSecret(value);
            void list.load();
          }}
        />
      )}
      {question?.what === 'deliveries' && (
        <Deliveries
          {...question}
          onClose={() => {
            close();
            // A test may have shown whether it works.
            void list.load();
          }}
        />
      )}
      {question?.what === 'replay' && <ReplayDialog hook={question.hook} onClose={close} />}
      {question?.what === 'remove' && (
        <Sure
          title={say('removeHookTitle')}
          hint={say('removeHookHint', { url: question.hook.url })}
          button={say('remove')}
          onClose={close}
          onSure={() => {
            close();
            void list.attempt(() => integrations.removeHook(question.hook.id));
          }}
        />
      )}
      {secret !== undefined && (
        <CopyDialog
          title={say('hookSecret')}
          hint={say('hookSecretHint')}
          label={say('shownOnce')}
          value={secret}
          button={say('copyIt')}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

/** Attempts are kept for so long, in ms. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

function stateOf(hook: Hook, texts: Texts): string {
  const { paused_at, pause_code, failures, resume_at, waiting, last_attempt: last, created_at } = hook;
  const { say } = texts;
  const queue = waiting === 0 ? [] : [say('waiting', { count: waiting })];
  if (paused_at !== null) {
    const paused = say('hookPaused', { date: texts.date(Date.parse(paused_at)) });
    const why = pause_code === null || pause_code === 'by_operator' ? [] : [say(`hookPaused_${pause_code}`)];
    return [paused, ...why, ...queue].join(' · ');
  }
  if (failures === 0) {
    const isNew = Date.now() - Date.parse(created_at) < KEPT_MS;
    const state = last !== null ? 'hookWorks' : isNew ? 'keyUnused' : 'hookIdle';
    return [say(state), ...queue].join(' · ');
  }
  const code = last?.fault_code ?? null;
  const why = code === null || code === 'refused' ? [] : [say(`hookFault_${code}`)];
  const next = resume_at === null ? [] : [say('hookAgain', { date: texts.date(Date.parse(resume_at)) })];
  return [say('hookFails', { count: failures }), ...why, ...next, ...queue].join(' · ');
}

interface HookDialogProps {
  onClose: () => void;
  onAdded: (secret: string) => void;
}

/** Asks where events go, and which ones. */
function HookDialog({ onClose, onAdded }: HookDialogProps) {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly (typeof EVENTS)[number][]>(['article.*']);
  const [drafts, setDrafts] = useState(false);
  const [fault, setFault] = useState<string>();
  const id = useId();
  const submit = async () => {
    setFault(undefined);
    try {
      onAdded(await integrations.addHook({ url: withScheme(url), events: [...events], drafts }));
    } catch (error) {
      if (!asProblem(error).fields.some(({ code }) => code === 'not_public')) throw error;
      setFault(say('fault_not_public'));
    }
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={say('new_hooks')}
      button={say('addHook')}
      onSubmit={submit}
      reasonOf={(problem) => refusalOf(problem, say)}
      onClose={onClose}
    >
      <label class="field">
        <span>{say('hookUrl')}</span>
        <input
          inputMode="url"
          value={url}
          required
          autofocus
          maxLength={2000}
          placeholder="https://"
          autocomplete="off"
          aria-invalid={fault !== undefined}
          aria-describedby={id}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </label>
      <p class="form-problem" role="alert" id={id}>
        {fault}
      </p>
      <fieldset class="people-roles">
        <legend>{say('hookEvents')}</legend>
        {EVENTS.map((one) => (
          <CheckField
            key={one}
            label={eventWords(one, say)}
            checked={events.includes(one)}
            onChecked={(checked) =>
              setEvents(EVENTS.filter((other) => (other === one ? checked : events.includes(other))))
            }
          />
        ))}
      </fieldset>
      <CheckField label={say('hookDraftsToo')} checked={drafts} onChecked={setDrafts} />
    </SubmitDialog>
  );
}

/** The interval between looks for a test's delivery, in ms, and their number. */
const LOOK_MS = 500;
const LOOKS = 60;

/** The latest attempts; after a test, until it is among them. */
function Deliveries({ hook, tested, onClose }: { hook: Hook; tested?: number; onClose: () => void }) {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [looks, setLooks] = useState(0);
  /** The event that is awaited, after an attempt that has ended, and the number that is delivered again. */
  const [awaited, setAwaited] = useState(tested === undefined ? undefined : { event: tested, after: '' });
  const [replayed, setReplayed] = useState<number>();
  const isAwaited =
    awaited !== undefined &&
    !deliveries?.some(({ event_id, ended_at }) => event_id === awaited.event && ended_at > awaited.after);
  const repeat = async (event: number) => {
    setProblem(undefined);
    try {
      const after = deliveries?.find(({ event_id }) => event_id === event)?.ended_at ?? '';
      setReplayed(await integrations.replayHook(hook.id, new Date(0).toISOString(), event));
      setAwaited({ event, after });
      setLooks((before) => before % LOOKS);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    let isCurrent = true;
    integrations.deliveries(hook.id).then(
      (found) => isCurrent && setDeliveries(found),
      (error) => isCurrent && setProblem(asProblem(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [looks, hook.id, integrations]);
  useEffect(() => {
    if (!isAwaited || deliveries === undefined || looks >= LOOKS) return undefined;
    const timer = setTimeout(() => setLooks(looks + 1), LOOK_MS);
    return () => clearTimeout(timer);
  }, [isAwaited, deliveries, looks]);
  return (
    <Modal title={say('deliveries')} onClose={onClose} look="wide">
      <p class="hint">{hook.url}</p>
      <p class="hint" role="status">
        {replayed !== undefined
          ? say('replayed', { count: replayed })
          : tested !== undefined &&
            say(isAwaited ? (looks < LOOKS ? 'testSent' : 'testNotSent') : 'testEnded')}
      </p>
      {problem !== undefined ? (
        <p class="form-problem" role="alert">
          {refusalOf(problem, say)}
        </p>
      ) : deliveries === undefined ? (
        <Loading />
      ) : deliveries.length === 0 ? (
        <p class="empty-title">{say('noDeliveries')}</p>
      ) : (
        <table class="people-table trail-table">
          <thead>
            <tr>
              {(['when', 'hookEvent', 'outcome'] as const).map((name) => (
                <th key={name} scope="col">
                  {say(name)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery, index) => (
              <tr key={index}>
                <td>
                  <time dateTime={delivery.ended_at}>{texts.date(Date.parse(delivery.ended_at))}</time>
                </td>
                <td>
                  {eventWords(delivery.type, say)}
                  {delivery.type !== 'hook.test' && ` (${delivery.subject.split(':')[1]})`}
                </td>
                <td>{outcomeOf(delivery, texts)}</td>
                <td>
                  {delivery.type !== 'hook.test' && hook.paused_at === null && (
                    <Button onClick={() => void repeat(delivery.event_id)}>{say('replayButton')}</Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
      </div>
    </Modal>
  );
}

function outcomeOf({ status, fault_code: code, duration_ms: ms }: Delivery, { say }: Texts): string {
  if (code === null) return say('delivered', { status: status ?? 0, ms });
  return say(`hookFault_${code}`, { status: status ?? 0 });
}

/** Asks since when everything is delivered again. */
function ReplayDialog({ hook, onClose }: { hook: Hook; onClose: () => void }) {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const [since, setSince] = useState('');
  const [replayed, setReplayed] = useState<number>();
  const submit = async () => {
    setReplayed(await integrations.replayHook(hook.id, zonedTime(since, texts.zone.value) ?? ''));
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={say('replayHook')}
      look="small"
      button={say('replayButton')}
      closing={say('close')}
      onSubmit={submit}
      reasonOf={(problem) => refusalOf(problem, say)}
      onClose={onClose}
    >
      <TimeField label={say('replaySince')} value={since} required autofocus onChange={setSince} />
      <ZoneHint />
      <p class="form-good" role="status">
        {replayed !== undefined && say('replayed', { count: replayed })}
      </p>
    </SubmitDialog>
  );
}
