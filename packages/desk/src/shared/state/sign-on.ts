/** What a login at a provider has come to: the address of the page says it once. */
export function takeSignOn(): string | undefined {
  const url = new URL(location.href);
  const said = url.searchParams.get('sign_in') ?? undefined;
  if (said === undefined) return undefined;
  url.searchParams.delete('sign_in');
  history.replaceState(null, '', url);
  return said;
}
