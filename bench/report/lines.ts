import * as Plot from '@observablehq/plot';
import { COLORS, colorsOf, draw } from './draw.ts';
import type { Theme } from './section.ts';

export interface Point {
  series: string;
  x: number;
  y: number;
}

/** A plot of lines. */
export interface Lines {
  x: string;
  y: string;
  points: readonly Point[];
  /** A value that should not be exceeded: a dashed line. */
  aim?: number;
}

/** The end of a line, and where its name stands. */
interface Label extends Point {
  /** The height of the name, as a value of the axis. */
  at: number;
}

const MARGIN = { top: 30, bottom: 45 };

/** The least distance of two names, in pixels. */
const APART = 15;

/** The least ratio of the highest value of the y axis to the lowest: what is flat shall look flat. */
const LEAST_SPAN = 8;

/** Distance of the names from the ends of the lines, in pixels. */
const AWAY = 26;

const WIDTH = { left: 50, lines: 430, names: 320 };

/** Draws lines over decades, both axes logarithmic, each with its name at its end. */
export function drawLines({ x, y, points, aim }: Lines, theme: Theme): string {
  const series = [...new Set(points.map((point) => point.series))];
  const height = Math.max(360, MARGIN.top + MARGIN.bottom + series.length * APART);
  const domain = spanOf([...points.map((point) => point.y), ...(aim === undefined ? [] : [aim])]);
  const labels = labelsOf(points, domain, height - MARGIN.top - MARGIN.bottom);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const away = ((xs.at(-1) ?? 1) / (xs[0] ?? 1)) ** (AWAY / WIDTH.lines);
  const line = { x: 'x', y: 'y', stroke: 'series' } as const;
  const thin = { stroke: 'series', strokeOpacity: 0.6, strokeWidth: 1 } as const;
  const nameX = ({ x: end }: Label) => end * away;
  // A colour that is used again is dashed.
  const isDashed = ({ series: name }: Point) => series.indexOf(name) >= COLORS;
  return draw(theme, {
    width: WIDTH.left + WIDTH.lines + WIDTH.names,
    height,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    marginLeft: WIDTH.left,
    marginRight: WIDTH.names,
    x: {
      type: 'log',
      label: x,
      labelAnchor: 'center',
      grid: true,
      // Up to four decades: a tick for each; more values have the ticks of the scale.
      ...(xs.length <= 4 && { ticks: xs, tickFormat: ',d' }),
    },
    y: { type: 'log', label: y, grid: true, domain, tickFormat: '~r', ticks: 5 },
    color: colorsOf(series, theme),
    marks: [
      ...(aim === undefined ? [] : [Plot.ruleY([aim], { strokeDasharray: '4 4' })]),
      Plot.line(
        points.filter((point) => !isDashed(point)),
        line,
      ),
      Plot.line(points.filter(isDashed), { ...line, strokeDasharray: '6 3' }),
      Plot.dot(points, { ...line, fill: 'series', r: 2.5 }),
      Plot.link(labels, { x1: 'x', y1: 'y', x2: nameX, y2: 'at', ...thin }),
      Plot.text(labels, { x: nameX, y: 'at', text: 'series', fill: 'series', textAnchor: 'start', dx: 3 }),
    ],
  });
}

/** The domain of an axis that shows these values, and at least so many times the lowest. */
function spanOf(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values) / 1.2, Math.max(...values) * 1.2];
  const missing = Math.max(1, LEAST_SPAN / (high / low));
  return [low / Math.sqrt(missing), high * Math.sqrt(missing)];
}

/** The ends of the lines, with their names as near to them as names can stand without covering each other. */
function labelsOf(points: readonly Point[], [low, high]: readonly [number, number], pixels: number): Label[] {
  const last = new Map<string, Point>();
  for (const point of points) if (point.x >= (last.get(point.series)?.x ?? 0)) last.set(point.series, point);
  const ends = [...last.values()].sort((a, b) => a.y - b.y);
  const logs = Math.log(high / low);
  const heights = apart(
    ends.map(({ y }) => (Math.log(y / low) / logs) * pixels),
    pixels,
  );
  return ends.map((end, index) => ({
    ...end,
    at: low * Math.exp(((heights[index] ?? 0) / pixels) * logs),
  }));
}

/** Moves ascending heights up until each is `APART` above the one before, or down where the plot ends. */
function apart(heights: readonly number[], pixels: number): number[] {
  let before = Number.NEGATIVE_INFINITY;
  return heights.map((height, index) => {
    const most = pixels - (heights.length - 1 - index) * APART;
    before = Math.min(most, Math.max(height, before + APART));
    return before;
  });
}
