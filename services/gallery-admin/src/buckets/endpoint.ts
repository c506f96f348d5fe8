/** True for the URL of an object store: http or https, without credentials, query and fragment. */
export function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
