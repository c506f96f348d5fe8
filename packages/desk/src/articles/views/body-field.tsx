import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';

interface BodyFieldProps {
  open: OpenArticle;
  onAsk: (question: ArticleQuestion) => void;
}

/** The text of an article, as its source: it comes back byte for byte. */
export function BodyField({ open }: BodyFieldProps) {
  const { say } = useApp().texts;
  return (
    <label class="source-field">
      <span class="unseen">{say('text')}</span>
      <textarea
        class="source"
        spellcheck={false}
        value={open.fields.value.content}
        onInput={({ currentTarget }) => open.edit({ content: currentTarget.value })}
      />
    </label>
  );
}
