import { useId, useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { isComputed, type Redirect, type RedirectInput, STATUSES } from '../api/redirects.ts';
import { useOrganise } from '../organise-context.ts';
import { onSite, pathElsewhere, readable } from './site-address.ts';
import { reasonOf } from './words.ts';

interface RedirectDialogProps {
  /** Undefined for a new one; one that is computed is not changed, but another is made from its address. */
  redirect: Redirect | undefined;
  siteOrigin: string | undefined;
  onClose: () => void;
  onSaved: () => void;
}

/** Asks where an address leads. */
export function RedirectDialog({ redirect, siteOrigin, onClose, onSaved }: RedirectDialogProps) {
  const { redirects, texts } = useOrganise();
  const { say } = texts;
  const id = useId();
  const isOfPage = redirect !== undefined && isComputed(redirect);
  const [from, setFrom] = useState(redirect?.from ?? '');
  const [to, setTo] = useState(isOfPage ? '' : readable(redirect?.to ?? ''));
  const [status, setStatus] = useState<RedirectInput['status']>(redirect?.status ?? 301);
  const [faults, setFaults] = useState<{ from?: string; to?: string }>({});
  const submit = async () => {
    const leadsTo = status === 410 ? null : to.trim();
    const input = { from: onSite(from, siteOrigin), to: leadsTo, status };
    const path = pathElsewhere(input.from);
    setFaults(path === undefined ? {} : { from: say('fromElsewhere', { path }) });
    if (path !== undefined) return undefined;
    try {
      await (redirect === undefined || isOfPage
        ? redirects.create(input)
        : redirects.change(redirect.id, input));
    } catch (error) {
      const { field } = asProblem(error).fields[0] ?? {};
      if (field !== 'from' && field !== 'to') throw error;
      setFaults({ [field]: reasonOf(asProblem(error), say) });
      return undefined;
    }
    onSaved();
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={redirect === undefined ? say('new_redirects') : say('editRedirect', { from: redirect.from })}
      look="wide"
      button={say('save')}
      onSubmit={submit}
      reasonOf={(problem) => reasonOf(problem, say)}
      onClose={onClose}
    >
      <AddressField
        id={`${id}-from`}
        label={say('from')}
        hint={say('fromHint')}
        value={from}
        fault={faults.from}
        onInput={setFrom}
      />
      <label class="field">
        <span>{say('readersGet')}</span>
        <select
          value={String(status)}
          onChange={({ currentTarget }) =>
            setStatus(STATUSES.find((one) => String(one) === currentTarget.value) ?? 301)
          }
        >
          {STATUSES.map((one) => (
            <option key={one} value={String(one)}>
              {say(`status_${one}`)}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">{say(`statusHint_${status}`)}</p>
      {status !== 410 && (
        <AddressField
          id={`${id}-to`}
          label={say('to')}
          hint={say('toHint')}
          value={to}
          fault={faults.to}
          onInput={setTo}
        />
      )}
    </SubmitDialog>
  );
}

interface AddressFieldProps {
  id: string;
  label: string;
  hint: string;
  value: string;
  /** What is wrong with it. */
  fault: string | undefined;
  onInput: (value: string) => void;
}

/** The first one without an address has the focus. */
function AddressField({ id, label, hint, value, fault, onInput }: AddressFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        required
        autofocus={value === ''}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        inputMode="url"
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <div class="hint" id={`${id}-hint`}>
        <p class="form-problem" role="alert">
          {fault}
        </p>
        <p>{hint}</p>
      </div>
    </div>
  );
}
