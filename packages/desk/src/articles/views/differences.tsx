import { useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { wordDifferences } from '../state/word-differences.ts';

export function Differences({ before, after }: { before: string; after: string }) {
  const { texts } = useApp();
  const language = texts.language.value;
  const pieces = useMemo(() => wordDifferences(before, after, language), [before, after, language]);
  return (
    <p class="differences" dir="auto">
      {pieces.map(({ text, kind }, index) => {
        const key = `${index} ${kind}`;
        if (kind === 'added') return <ins key={key}>{text}</ins>;
        if (kind === 'removed') return <del key={key}>{text}</del>;
        return <span key={key}>{text}</span>;
      })}
    </p>
  );
}
