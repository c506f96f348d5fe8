import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from '../child.ts';
import { type Figure, figureOf } from '../figures/figure.ts';

/** The largest acceptable resident memory, in MiB. */
const AIMS = { 'at rest': 130, 'under load': 180 } as const;

/** How long a service may finish what its start has begun, in ms. */
const SETTLE_MS = 5000;

/** The resident memory of a service that has just started and was asked nothing yet. */
export async function memoryAtRest(subject: string, service: ServerProcess): Promise<Figure> {
  await delay(SETTLE_MS);
  return memoryFigure('at rest', subject, service);
}

/** The resident memory of a service that was just under load. */
export function memoryUnderLoad(subject: string, service: ServerProcess): Figure {
  return memoryFigure('under load', subject, service);
}

function memoryFigure(what: keyof typeof AIMS, subject: string, service: ServerProcess): Figure {
  const label = { what, subject, metric: 'memory', unit: 'MiB', at: {}, aim: AIMS[what] };
  return figureOf(label, [service.residentMemory()]);
}
