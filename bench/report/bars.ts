import * as Plot from '@observablehq/plot';
import { colorsOf, draw } from './draw.ts';
import { printed, type Theme } from './section.ts';

/** A bar: how many answers a second one of several servers gives. */
export interface Bar {
  /** The group of bars that are compared with each other. */
  group: string;
  subject: string;
  value: number;
  /** Text to the right of the bar after the value. */
  beside: string;
}

/** Draws groups of bars, each on its own scale; each bar with its value and what stands next to it. */
export function drawBars(values: readonly Bar[], theme: Theme): string {
  const longest = Map.groupBy(values, ({ group }) => group);
  const bars = values.map((bar) => {
    const most = Math.max(...(longest.get(bar.group) ?? []).map(({ value }) => value));
    return { ...bar, share: bar.value / most };
  });
  const subjects = [...new Set(bars.map(({ subject }) => subject))];
  // A program has one colour, with its cache and without it.
  const programOf = (subject: string) => subject.split(', ')[0] ?? subject;
  const groups = [...new Set(bars.map(({ group }) => group))];
  const missing = groups.flatMap((group) => {
    const present = longest.get(group)?.map(({ subject }) => subject);
    return subjects
      .filter((subject) => !present?.includes(subject))
      .map((subject) => ({ group, subject, share: 0 }));
  });
  const bar = { x: 'share', y: 'subject', fy: 'group' } as const;
  return draw(theme, {
    marginTop: 22,
    height: 40 + groups.length * (subjects.length * 22 + 22),
    marginLeft: 190,
    marginRight: 200,
    marginBottom: 18,
    x: { label: 'answers a second →', ticks: [], domain: [0, 1] },
    y: { label: null, domain: subjects },
    fy: { label: null, domain: groups, axis: null, padding: 0.16 },
    color: colorsOf([...new Set(subjects.map(programOf))], theme),
    marks: [
      Plot.barX(bars, {
        ...bar,
        fill: ({ subject }: Bar) => programOf(subject),
        insetTop: 1,
        insetBottom: 1,
      }),
      Plot.text(bars, {
        ...bar,
        text: ({ value, beside }: Bar) => `${printed(value)}/s · ${beside}`,
        textAnchor: 'start',
        dx: 5,
      }),
      Plot.text(missing, { ...bar, text: () => 'not asked', textAnchor: 'start', dx: 5, fillOpacity: 0.6 }),
      Plot.text(groups, {
        fy: (group: string) => group,
        text: (group: string) => group,
        frameAnchor: 'top-left',
        dx: -185,
        dy: -13,
        fontWeight: 'bold',
      }),
      Plot.ruleX([0]),
    ],
  });
}
