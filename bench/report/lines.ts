import * as Plot from '@observablehq/plot';
import { draw, seriesColor } from './draw.ts';
import type { Theme } from './section.ts';

/** A point of a line. */
export interface Point {
  /** The line. */
  series: string;
  x: number;
  y: number;
}

/** What a plot of lines is about. */
export interface Lines {
  /** The axes, with their units. */
  x: string;
  y: string;
  points: readonly Point[];
  /** A value that should not be exceeded: a dashed line. */
  aim?: number;
}

/** Draws lines over decades, both axes logarithmic, each with its name at its end. */
export function drawLines({ x, y, points, aim }: Lines, theme: Theme): string {
  const series = [...new Set(points.map((point) => point.series))];
  const line = { x: 'x', y: 'y', stroke: 'series' } as const;
  return draw(theme, {
    height: 420,
    marginRight: 260,
    x: { type: 'log', label: x, grid: true },
    y: { type: 'log', label: y, grid: true },
    color: { domain: series, range: series.map((_, index) => seriesColor(theme, index)) },
    marks: [
      ...(aim === undefined ? [] : [Plot.ruleY([aim], { strokeDasharray: '4 4' })]),
      Plot.line(points, line),
      Plot.dot(points, { ...line, fill: 'series', r: 2.5 }),
      Plot.text(
        points,
        Plot.selectLast({ x: 'x', y: 'y', z: 'series', text: 'series', textAnchor: 'start', dx: 8 }),
      ),
    ],
  });
}
