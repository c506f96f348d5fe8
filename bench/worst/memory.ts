import type { ServerProcess } from '../child.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';

/** The largest acceptable resident memory under load, in MiB; `bench idle` measures it at rest. */
const AIM = 180;

/** The resident memory of a service that was just under load. */
export function memoryUnderLoad(subject: string, service: ServerProcess): Figure {
  return figuresOf(subject)('under load', 'memory', 'MiB', service.residentMemory(), AIM);
}
