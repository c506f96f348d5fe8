import { z } from 'zod';

/** The base URL of an API of models; a key goes into a setting of its own, which no log shows. */
export function endpointUrl() {
  const expected = 'an http or https URL such as http://127.0.0.1:11434/v1';
  const accept = (value: string) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  };
  return z.string().refine(accept, expected);
}
