import { useState } from 'preact/hooks';
import { useDesk } from '../desk.ts';

/** Whether a file could not be shown, and what says so; it is tried again when the service has come back. */
export function useBroken(): readonly [isBroken: boolean, broken: () => void] {
  const { returns } = useDesk().connection;
  const [brokenAt, setBrokenAt] = useState(-1);
  return [brokenAt === returns.value, () => setBrokenAt(returns.peek())];
}
