import type { ServerProcess } from '../child.ts';
import { type Figure, figureOf } from '../figures/figure.ts';

/** The largest acceptable resident memory under load, in MiB; `bench idle` measures it at rest. */
const AIM = 180;

/** The resident memory of a service that was just under load. */
export function memoryUnderLoad(subject: string, service: ServerProcess): Figure {
  const label = { what: 'under load', subject, metric: 'memory', unit: 'MiB', at: {}, aim: AIM };
  return figureOf(label, [service.residentMemory()]);
}
