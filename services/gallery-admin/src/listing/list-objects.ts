import { Readable } from 'node:stream';
import { ListObjectsV2Command, type ListObjectsV2CommandInput, type S3Client } from '@aws-sdk/client-s3';
import { type Listing, readListing } from './listing-xml.ts';

/** An answer with a body that has not been read. */
interface Answer {
  statusCode: number;
  body: Readable;
}

/**
 * Sends a ListObjectsV2 by the SDK, with its repetitions and errors. The answer is read by {@link
 * readListing}, or by the SDK where that cannot.
 */
export async function sendListObjects(s3: S3Client, input: ListObjectsV2CommandInput): Promise<Listing> {
  const command = new ListObjectsV2Command(input);
  let listing: Listing | undefined;
  command.middlewareStack.addRelativeTo(
    <Sent, Received extends { response: unknown }>(next: (sent: Sent) => Promise<Received>) =>
      async (sent: Sent) => {
        const answer = await next(sent);
        const response = answer.response as Answer;
        if (response.statusCode !== 200) return answer;
        const bytes = Buffer.concat(await response.body.toArray());
        listing = readListing(bytes.toString());
        response.body = Readable.from(listing === undefined ? [bytes] : []);
        return answer;
      },
    // After the SDK has looked for an error with status 200.
    { relation: 'before', toMiddleware: 'throw200ExceptionsMiddleware', name: 'readListing' },
  );
  const answer = await s3.send(command);
  return listing ?? answer;
}
