/** `example.com/a` is what people write for `https://example.com/a`. */
export function withScheme(address: string): string {
  const trimmed = address.trim();
  const isHost = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?:[/?#:]|$)/u.test(trimmed);
  return isHost ? `https://${trimmed}` : trimmed;
}
