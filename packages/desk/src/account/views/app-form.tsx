import { useId, useState } from 'preact/hooks';
import qrcode from 'qrcode-generator';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useAccount } from '../account-context.ts';
import type { NewSecret } from '../api/account.ts';

/** Sets up an app for codes: shows the secret, and takes it once the app has shown a code of it. */
export function AppForm({ onDone }: { onDone: (recoveryCodes: readonly string[]) => void }) {
  const { api, texts } = useAccount();
  const { say } = texts;
  const id = useId();
  const [made, setMade] = useState<NewSecret>();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<ApiProblem>();
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const reason = (
    <p class="form-problem" role="alert">
      {problem !== undefined && problemWords(problem, say)}
    </p>
  );
  if (made === undefined) {
    return (
      <div>
        <Button onClick={() => void attempt(async () => setMade(await api.beginTotp()))}>
          {say('setUpApp')}
        </Button>
        {reason}
      </div>
    );
  }
  return (
    <form
      class="form"
      aria-label={say('setUpApp')}
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(async () => onDone(await api.confirmTotp(code)));
      }}
    >
      <p>{say('scanHint')}</p>
      <QrCode text={made.uri} label={say('qrCode')} />
      <p class="hint">
        {say('secretHint')} <code class="account-secret">{made.secret}</code>
      </p>
      <div class="field">
        <label for={id}>{say('code')}</label>
        <input
          id={id}
          value={code}
          required
          autofocus
          inputMode="numeric"
          autocomplete="one-time-code"
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
      </div>
      {reason}
      <button type="submit" class="button primary">
        <span>{say('takeApp')}</span>
      </button>
    </form>
  );
}

function QrCode({ text, label }: { text: string; label: string }) {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const places = Array.from({ length: size * size }, (_, at) => [Math.floor(at / size), at % size] as const);
  const path = places
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column} ${row}h1v1h-1z`)
    .join('');
  // Four modules of white around it (ISO/IEC 18004).
  return (
    <svg class="account-qr" role="img" aria-label={label} viewBox={`-4 -4 ${size + 8} ${size + 8}`}>
      <path d={path} />
    </svg>
  );
}
