import { faultWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';

export function FieldProblem({ open, member }: { open: OpenArticle; member: string }) {
  const { say } = useApp().texts;
  const found = open.problem.value?.fields.find(({ field }) => field.split('.')[0] === member);
  return (
    <p class="form-problem" role="alert">
      {found !== undefined && faultWords(found, say)}
    </p>
  );
}
