/** Takes the outcome of a login at a provider out of the page's address, so that it is told once. */
export function takeSignOn(): string | undefined {
  const url = new URL(location.href);
  const said = url.searchParams.get('sign_in') ?? undefined;
  if (said === undefined) return undefined;
  url.searchParams.delete('sign_in');
  history.replaceState(null, '', url);
  return said;
}
