import { algorithmOfHeader } from '../checksums.ts';
import { writeConditions } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import { xmlResponse } from '../response.ts';
import { elementsOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import type { Operation, OperationContext } from './context.ts';

const MAXIMUM_KEYS = 1000;

/** DeleteObject; deleting a missing object succeeds. */
export const deleteObject: Operation = async ({ storage, request }) => {
  const { bucket, key, headers } = request;
  const conditions = writeConditions(headers);
  await storage.change(() => {
    storage.buckets.require(bucket);
    storage.objects.delete(bucket, key, conditions);
  });
  return { status: 204 };
};

/** DeleteObjects: up to 1,000 keys; those that could not be deleted are listed individually. */
export const deleteObjects: Operation = async (context) => {
  const { storage, request, payload } = context;
  storage.buckets.require(request.bucket);
  requireIntegrity(request.headers);
  const document = parseXml(await payload.text(), 'Delete');
  const objects = elementsOf(document, 'Object').map((element) => ({
    key: textOf(element, 'Key') ?? '',
    ifMatch: textOf(element, 'ETag'),
  }));
  if (objects.length === 0 || objects.length > MAXIMUM_KEYS) {
    throw new S3Error('MalformedXML', `Delete takes 1 to ${MAXIMUM_KEYS} keys.`);
  }
  const results = await storage.change(() => objects.map((object) => deleteOne(context, object)));
  const isQuiet = textOf(document, 'Quiet') === 'true';
  return xmlResponse('DeleteResult', {
    Deleted: isQuiet ? [] : results.flatMap(({ Deleted }) => Deleted ?? []),
    Error: results.flatMap(({ Error: error }) => error ?? []),
  });
};

function deleteOne(
  { storage, request }: OperationContext,
  { key, ifMatch }: { key: string; ifMatch: string | undefined },
): { Deleted?: XmlElement; Error?: XmlElement } {
  try {
    if (key === '') throw new S3Error('InvalidArgument', 'A key must not be empty.');
    storage.objects.delete(request.bucket, key, { ifMatch });
    return { Deleted: { Key: key } };
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return { Error: { Key: key, Code: error.code, Message: error.message } };
  }
}

function requireIntegrity(headers: Record<string, string>): void {
  const isChecked = Object.keys(headers).some((name) => name === 'content-md5' || algorithmOfHeader(name));
  if (isChecked || headers['x-amz-trailer'] !== undefined) return;
  throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5');
}
