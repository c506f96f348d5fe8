import type { OpenArticle } from '../state/open-article.ts';

export function FieldProblem({ open, member }: { open: OpenArticle; member: string }) {
  const found = open.problem.value?.fields.find(({ field }) => field.split('.')[0] === member);
  return (
    <p class="form-problem" role="alert">
      {found?.message}
    </p>
  );
}
