import { expect, test } from 'vitest';
import { derivePresentation, type ResetEvent } from './codex-resets.ts';

const presentation: ResetEvent['presentation'] = {
  status: 'announced',
  scopeKnown: false,
  scopeLabel: null,
  kindExplicit: true,
  timeInferred: true,
};
const estimate: ResetEvent['estimate'] = {
  from: '2026-11-20T10:00:00+08:00',
  through: '2026-11-20T20:00:00+08:00',
  basis: 'source',
  label: 'this evening',
  reason: 'said so',
};
const waiting = { presentation, estimate, status: 'announced' } as const;

test.each([
  ['2026-11-20T11:59:59.999Z', 'announced', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00.000Z', 'expired_unconfirmed', '2026-11-20T18:00:00.000Z'],
  ['2026-11-20T17:59:59.999Z', 'expired_unconfirmed', '2026-11-20T18:00:00.000Z'],
  ['2026-11-20T18:00:00.000Z', 'likely_completed', undefined],
])('a waiting event is at %s %s until %s', (now, status, until) => {
  expect(derivePresentation(waiting, new Date(now))).toEqual({
    presentation: { ...presentation, status },
    until: until && new Date(until),
  });
});

test.each([
  ['it is confirmed', { ...waiting, status: 'confirmed' }],
  ['the source confirmed it', { ...waiting, presentation: { ...presentation, status: 'confirmed' } }],
  ['nothing was estimated', { ...waiting, estimate: null }],
  ['its qualifiers are unavailable', { ...waiting, presentation: null }],
] as const)('time does not change the presentation when %s', (_why, event) => {
  expect(derivePresentation(event, new Date('2027-01-01T00:00:00Z'))).toEqual({
    presentation: event.presentation,
    until: undefined,
  });
});
