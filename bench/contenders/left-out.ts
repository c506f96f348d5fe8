/** What was started, or undefined where it cannot be installed, which says why. */
export function unlessLeftOut<Started>(
  name: string,
  started: Promise<Started>,
): Promise<Started | undefined> {
  return started.catch((error: unknown) => void console.warn(`without ${name}: ${error}`));
}
