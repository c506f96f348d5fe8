import type { PlotOptions } from '@observablehq/plot';
import { plot } from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Theme } from './section.ts';

/** The colours of a page on GitHub. */
const PAGE: Record<Theme, { color: string; background: string }> = {
  light: { color: '#1f2328', background: '#ffffff' },
  dark: { color: '#d1d7e0', background: '#0d1117' },
};

/** The Okabe-Ito colours, which the colour-blind can tell apart; in the dark lighter. */
const SERIES: Record<Theme, readonly string[]> = {
  light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b58900', '#56b4e9'],
  dark: ['#56b4e9', '#e69f00', '#2bbf93', '#e3a1c6', '#f0e442', '#7f9cff'],
};

/** Series that have their own colour. */
export const COLORS = SERIES.light.length;

/** The scale that gives each series its colour. */
export function colorsOf(series: readonly string[], theme: Theme): PlotOptions['color'] {
  const colors = SERIES[theme];
  return { domain: series, range: series.map((_, index) => colors[index % COLORS] ?? '') };
}

/** Draws a plot of 800 columns as SVG that stands for itself, the same from the same options. */
export function draw(theme: Theme, options: PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const { color, background } = PAGE[theme];
  const svg = plot({ document, width: 800, style: { color, background, fontSize: '12px' }, ...options });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return svg.outerHTML;
}
