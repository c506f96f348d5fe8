/** The 304 of every endpoint, for the OpenAPI description. */
export const NOT_MODIFIED = {
  304: { description: 'Not modified: `If-None-Match` names the current representation.', content: {} },
} as const;
