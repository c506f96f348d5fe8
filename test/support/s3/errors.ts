import { expect } from 'vitest';

/** Matches a rejected command's error of S3 with this code and status. */
export function s3Error(code: string, status: number): unknown {
  return expect.objectContaining({
    name: code,
    $metadata: expect.objectContaining({ httpStatusCode: status }),
  });
}

/** The same where servers agree on the status alone. */
export function s3Status(...statuses: number[]): unknown {
  return expect.objectContaining({
    $metadata: expect.objectContaining({ httpStatusCode: expect.toBeOneOf(statuses) }),
  });
}

/** The code in the document of an error that `fetch` has received. */
export async function errorCode(response: Response): Promise<string> {
  return /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? '';
}
