import { useEffect, useId, useState } from 'preact/hooks';
import { ApiProblem } from '../../shared/api/problem.ts';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { faultWords, ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import type { GalleryApi } from '../api/gallery.ts';
import type { BucketForm, BucketView } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { TextName } from '../text/texts.ts';

export function Buckets() {
  const { api, connection, place, texts } = useApp();
  const { say } = texts;
  const [buckets, setBuckets] = useState<readonly BucketView[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [edited, setEdited] = useState<BucketView | 'new'>();
  const [removed, setRemoved] = useState<BucketView>();
  const load = () => {
    setProblem(undefined);
    api.buckets().then(setBuckets, (error: ApiProblem) => setProblem(error));
  };
  useEffect(load, [api, connection.returns.value]);
  const act = async (work: Promise<void>, isSwitch = false) => {
    try {
      await work;
      // The policy of the document names the old bucket's origin.
      if (isSwitch) location.reload();
      else load();
    } catch (error) {
      if (error instanceof ApiProblem) setProblem(error);
    }
  };
  return (
    <div class="settings">
      <div class="settings-head">
        <Button
          kind="quiet"
          icon="previous"
          onClick={() => place.go({ screen: 'files', folder: '', file: undefined })}
        >
          {say('back')}
        </Button>
        <span class="space" />
        <Button kind="primary" icon="add" onClick={() => setEdited('new')}>
          {say('addBucket')}
        </Button>
      </div>
      <h1>{say('buckets')}</h1>
      <p class="hint">{say('bucketsHint')}</p>
      {problem !== undefined && <ProblemView problem={problem} onRetry={load} />}
      <ul class="buckets">
        {buckets?.map((bucket) => (
          <li key={bucket.id} class="bucket">
            <Icon name="buckets" />
            <div class="bucket-words">
              <strong>{bucket.name}</strong>
              <span class="hint">
                {bucket.endpoint} · {bucket.region}
              </span>
            </div>
            {!bucket.editable && <span class="badge">{say('fromEnvironment')}</span>}
            {bucket.active ? (
              <span class="badge on">{say('active')}</span>
            ) : (
              <Button
                aria-label={say('makeActiveOne', { name: bucket.name })}
                onClick={() => void act(api.activateBucket(bucket.id), true)}
              >
                {say('makeActive')}
              </Button>
            )}
            {bucket.editable && (
              <>
                <IconButton
                  icon="edit"
                  label={say('editOne', { name: bucket.name })}
                  onClick={() => setEdited(bucket)}
                />
                <IconButton
                  icon="delete"
                  label={say('removeOne', { name: bucket.name })}
                  onClick={() => setRemoved(bucket)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <BucketDialog
          bucket={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={(isSwitch) => {
            setEdited(undefined);
            void act(Promise.resolve(), isSwitch);
          }}
        />
      )}
      {removed !== undefined && (
        <Modal title={say('removeTitle', { name: removed.name })} onClose={() => setRemoved(undefined)}>
          <p class="hint">{say('removeHint')}</p>
          <div class="modal-buttons">
            <Button onClick={() => setRemoved(undefined)} autofocus>
              {say('cancel')}
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                setRemoved(undefined);
                void act(api.removeBucket(removed.id), removed.active);
              }}
            >
              {say('remove')}
            </Button>
          </div>
        </Modal>
      )}
    </div>
  );
}

interface BucketDialogProps {
  bucket: BucketView | undefined;
  onClose: () => void;
  onSaved: (isSwitch: boolean) => void;
}

type FieldName = 'name' | 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey' | 'publicEndpoint';

const FIELDS: readonly (readonly [name: FieldName, label: TextName, hint?: TextName])[] = [
  ['name', 'bucketName'],
  ['endpoint', 'endpoint'],
  ['region', 'region'],
  ['accessKeyId', 'accessKeyId'],
  ['secretAccessKey', 'secretAccessKey'],
  ['publicEndpoint', 'publicEndpoint', 'publicEndpointHint'],
];

function BucketDialog({ bucket, onClose, onSaved }: BucketDialogProps) {
  const { api, texts } = useApp();
  const { say } = texts;
  const [form, setForm] = useState<BucketForm>(() => formOf(bucket));
  const [setActive, setSetActive] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const [tested, setTested] = useState<Awaited<ReturnType<GalleryApi['testBucket']>> | 'testing'>();
  useEffect(() => {
    if (bucket === undefined) return;
    api.accessKeyOf(bucket.id).then(
      (accessKeyId) => setForm((now) => ({ ...now, accessKeyId })),
      () => undefined,
    );
  }, [api, bucket]);
  const report = (error: unknown) => {
    setTested(undefined);
    if (error instanceof ApiProblem) setProblem(error);
  };
  const test = async () => {
    setProblem(undefined);
    setTested('testing');
    try {
      setTested(await api.testBucket(form));
    } catch (error) {
      report(error);
    }
  };
  const save = async () => {
    setProblem(undefined);
    try {
      await api.saveBucket(form, setActive);
      onSaved(setActive || bucket?.active === true);
    } catch (error) {
      report(error);
    }
  };
  const about = (name: FieldName) =>
    problem?.fields
      .filter(({ field }) => field.split('.').at(-1) === name)
      .map((fault) => faultWords(fault, say));
  const named = FIELDS.some(([name]) => about(name)?.length);
  const title = bucket === undefined ? say('addBucket') : say('editBucket', { name: bucket.name });
  return (
    <FormModal say={say} title={title} onClose={onClose} look="wide">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {FIELDS.map(([name, label, hint]) => (
          <Field
            key={name}
            label={say(label)}
            hint={name === 'secretAccessKey' && bucket !== undefined ? say('keepSecret') : hint && say(hint)}
            isSecret={name === 'secretAccessKey'}
            value={form[name] ?? ''}
            problems={about(name) ?? []}
            onValue={(value) => setForm({ ...form, [name]: value })}
          />
        ))}
        <CheckField
          label={say('pathStyle')}
          checked={form.forcePathStyle}
          onChecked={(forcePathStyle) => setForm({ ...form, forcePathStyle })}
        />
        <CheckField label={say('activateOnSave')} checked={setActive} onChecked={setSetActive} />
        <p class="form-problem" role="alert">
          {problem !== undefined && !named && problemWords(problem, say)}
          {tested && tested !== 'testing' && say(`problem_${tested}`)}
        </p>
        <p class="form-good" role="status">
          {tested === 'testing' && say('testing')}
          {tested === null && say('bucketWorks')}
        </p>
        <div class="modal-buttons">
          <Button onClick={() => void test()}>{say('test')}</Button>
          <span class="space" />
          <Button onClick={onClose}>{say('cancel')}</Button>
          <button type="submit" class="button primary">
            <span>{say('save')}</span>
          </button>
        </div>
      </form>
    </FormModal>
  );
}

interface FieldProps {
  label: string;
  hint: string | undefined;
  isSecret: boolean;
  value: string;
  problems: readonly string[];
  onValue: (value: string) => void;
}

function Field({ label, hint, isSecret, value, problems, onValue }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={isSecret ? 'password' : 'text'}
        value={value}
        autocomplete={isSecret ? 'new-password' : 'off'}
        spellcheck={false}
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <div id={`${id}-about`}>
        {problems.map((problem) => (
          <p key={problem} class="form-problem">
            {problem}
          </p>
        ))}
        {hint !== undefined && <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

function formOf(bucket: BucketView | undefined): BucketForm {
  return {
    ...(bucket !== undefined && { id: bucket.id }),
    name: bucket?.name ?? '',
    endpoint: bucket?.endpoint ?? '',
    region: bucket?.region ?? 'us-east-1',
    accessKeyId: '',
    secretAccessKey: '',
    forcePathStyle: bucket?.forcePathStyle ?? true,
    publicEndpoint: bucket?.publicEndpoint ?? null,
  };
}
