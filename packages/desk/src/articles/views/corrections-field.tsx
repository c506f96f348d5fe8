import { useId, useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { FieldProblem } from './field-problem.tsx';

/** The longest text of a correction that the service takes. */
const LONGEST = 1000;

/** Dated corrections of an article that readers have seen. */
export function CorrectionsField({ open }: { open: OpenArticle }) {
  const { texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [text, setText] = useState('');
  const { corrections } = open.fields.value;
  if (!open.article.value?.published_at && corrections.length === 0) return null;
  const add = () => {
    open.edit({ corrections: [...corrections, { at: new Date().toISOString(), text: text.trim() }] });
    setText('');
  };
  return (
    <>
      <h2 class="side-title">{say('field_corrections')}</h2>
      {corrections.length > 0 && (
        <ul class="corrections">
          {corrections.map((one) => {
            const date = texts.date(Date.parse(one.at));
            return (
              <li key={`${one.at} ${one.text}`}>
                <p>
                  <time dateTime={one.at}>{date}</time> <span dir="auto">{one.text}</span>
                </p>
                <IconButton
                  icon="close"
                  label={say('remove', { name: date })}
                  onClick={() => open.edit({ corrections: corrections.filter((other) => other !== one) })}
                />
              </li>
            );
          })}
        </ul>
      )}
      <div class="field" data-member="corrections">
        <label for={id}>{say('correction')}</label>
        <textarea
          id={id}
          rows={2}
          maxLength={LONGEST}
          value={text}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p class="hint" id={`${id}-hint`}>
          {say('correctionHint')}
        </p>
        <Button disabled={text.trim() === ''} onClick={add}>
          {say('addCorrection')}
        </Button>
        <FieldProblem open={open} member="corrections" />
      </div>
    </>
  );
}
