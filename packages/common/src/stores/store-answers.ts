import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** An answer with a body that has not been read. */
interface Answer {
  statusCode: number;
  headers: Partial<Record<string, string>>;
  body: Readable;
}

interface Expected {
  /** 200 where it is left out. */
  status?: number;
  headers?: readonly string[];
  /** The root element of a body in XML, which is empty otherwise. */
  root?: string;
  member?: string;
  /** Of a list in pages: the member that says where the next one begins, and the input that asks for it. */
  pages?: { next: string; from: string };
}

const EXPECTED: Partial<Record<string, Expected>> = {
  ListObjectsV2Command: {
    root: 'ListBucketResult',
    pages: { next: 'NextContinuationToken', from: 'ContinuationToken' },
  },
  ListPartsCommand: {
    root: 'ListPartsResult',
    member: 'UploadId',
    pages: { next: 'NextPartNumberMarker', from: 'PartNumberMarker' },
  },
  DeleteObjectsCommand: { root: 'DeleteResult' },
  CopyObjectCommand: { root: 'CopyObjectResult', member: 'ETag' },
  UploadPartCopyCommand: { root: 'CopyPartResult', member: 'ETag' },
  CreateMultipartUploadCommand: { root: 'InitiateMultipartUploadResult', member: 'UploadId' },
  // Ceph leaves the entity tag empty.
  CompleteMultipartUploadCommand: { root: 'CompleteMultipartUploadResult', member: 'Key' },
  GetBucketCorsCommand: { root: 'CORSConfiguration' },
  PutObjectCommand: { headers: ['etag'] },
  UploadPartCommand: { headers: ['etag'] },
  DeleteObjectCommand: { status: 204 },
  AbortMultipartUploadCommand: { status: 204 },
  CreateBucketCommand: {},
  PutBucketCorsCommand: {},
};

/** Headers that every object has; their bodies may be anything. */
const OBJECT = ['etag', 'last-modified', 'content-length'];

/**
 * The entity tag of a file of nginx or Apache: its time and size. The tag of an object in parts is longer.
 */
const FILE_TAG = /^(?:W\/)?"[\da-f]{1,16}(?:-[\da-f]{1,16}){1,2}"$/i;

/** The answer came from no object store: a captive portal, or a proxy with a page of its own. */
class NoStoreAnswer extends Error {
  readonly $metadata = {};
  readonly $response: Answer;

  constructor(command: string, answer: Answer) {
    super(`the answer to ${command} is not an object store's`);
    this.name = 'NoStoreAnswer';
    this.$response = answer;
  }
}

/**
 * Makes a client throw for an answer of success that no object store gives, which the SDK would take for
 * success. A web server's file with all headers of an object, and no entity tag that tells, goes unnoticed.
 */
export function refuseOtherServers(s3: S3Client): void {
  s3.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const passed = await next(args);
        const answer = passed.response as Answer;
        if (answer.statusCode < 300 && !(await isOfStore(commandName, args.input, answer))) {
          answer.body.destroy();
          throw new NoStoreAnswer(commandName, answer);
        }
        return passed;
      },
    { step: 'deserialize', priority: 'low', name: 'refuseOtherServers' },
  );
}

async function isOfStore(command: string, input: object, answer: Answer): Promise<boolean> {
  const { statusCode, headers } = answer;
  if (command === 'GetObjectCommand' || command === 'HeadObjectCommand') {
    const { etag = '' } = headers;
    return OBJECT.every((name) => name in headers) && !FILE_TAG.test(etag) && isWanted(input, etag);
  }
  if (command === 'HeadBucketCommand') return !isPage(headers);
  const expected = EXPECTED[command];
  if (expected === undefined) return true;
  const { status = 200, headers: needed = [] } = expected;
  if (statusCode !== status || !needed.every((name) => name in headers)) return false;
  const body = Buffer.concat(await answer.body.toArray());
  answer.body = Readable.from([body]);
  const xml = body.toString();
  return isExpected(xml, expected) && goesOn(xml, input, expected);
}

/** False for a list that says that it has more and not where, or that begins again. */
function goesOn(xml: string, input: object, { pages }: Expected): boolean {
  if (pages === undefined || !/<IsTruncated>\s*true\s*</i.test(xml)) return true;
  const [, next] = new RegExp(`<${pages.next}>([^<]+)<`).exec(xml) ?? [];
  const asked = (input as Record<string, unknown>)[pages.from];
  return next !== undefined && next !== (asked ?? '0');
}

/** True if an object is the one that was asked for. */
function isWanted(input: object, etag: string): boolean {
  const { IfMatch } = input as { IfMatch?: string };
  return IfMatch === undefined || bare(IfMatch) === bare(etag);
}

function bare(etag: string): string {
  return etag.replace(/^W\/|"/g, '');
}

/** Some stores call an empty body HTML. */
function isPage({ 'content-type': type = '', 'content-length': length }: Answer['headers']): boolean {
  return /^text\/html/i.test(type) && length !== '0';
}

function isExpected(body: string, { root, member }: Expected): boolean {
  const xml = body.replace(/^\uFEFF?\s*(?:<\?xml[^>]*>)?\s*/, '').trimEnd();
  if (root === undefined) return xml === '';
  const [name] = /^<([\w.-]+)(?=[\s/>])/.exec(xml)?.slice(1) ?? [];
  // The SDK reads an error that comes with status 200.
  if (name === 'Error') return true;
  if (name !== root || !(xml.endsWith(`</${root}>`) || /^<[^>]*\/>$/.test(xml))) return false;
  return member === undefined || new RegExp(`<${member}>\\s*[^<\\s]`).test(xml);
}
