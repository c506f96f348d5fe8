import type { Meter } from '@pressroom/common/metrics/meter';
import type { HookStore, ListedHook } from './store.ts';

/** The state of each hook by its id. */
export function hookMeters(hooks: HookStore): Meter[] {
  // All of them are read at once, from one list.
  let listed: Promise<ListedHook[]> | undefined;
  const list = () => {
    listed ??= hooks.list().finally(() => {
      listed = undefined;
    });
    return listed;
  };
  const gauge = (name: string, help: string, value: (hook: ListedHook) => number): Meter => ({
    name,
    help,
    kind: 'gauge',
    labels: ['hook'],
    read: async () => {
      const all = await list();
      return all.map((hook) => ({ labels: { hook: String(hook.id) }, value: value(hook) }));
    },
  });
  return [
    gauge('content_hook_paused', '1 while nothing is delivered to the hook', ({ paused_at }) =>
      paused_at === null ? 0 : 1,
    ),
    gauge('content_hook_failures', 'Failed attempts since the last success', ({ failures }) => failures),
    gauge('content_hook_waiting', 'Events that wait for the hook, 10,000 at most', ({ waiting }) => waiting),
    gauge('content_hook_lag_seconds', 'For how long the oldest of them has waited', ({ lag }) => lag),
  ];
}
