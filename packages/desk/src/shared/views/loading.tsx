import { useDesk } from '../desk.ts';

/** In the place of what is being loaded. */
export function Loading() {
  const { say } = useDesk().texts;
  return (
    <div class="empty" role="status">
      <span class="spinner" />
      <span class="unseen">{say('loading')}</span>
    </div>
  );
}
