import { useState } from 'preact/hooks';
import { useDesk } from '../desk.ts';

/**
 * True if a file could not be shown, and a function that says so; the file is tried again when the service is
 * back.
 */
export function useBroken(): readonly [isBroken: boolean, broken: () => void] {
  const { returns } = useDesk().connection;
  const [brokenAt, setBrokenAt] = useState(-1);
  return [brokenAt === returns.value, () => setBrokenAt(returns.peek())];
}
