/** The errors of the S3 API that this server gives: status and message as AWS documents them. */
const ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query-string authentication parameters are malformed.'],
  BadDigest: [400, 'The checksum that was sent does not match the bytes that were received.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  IncompleteBody: [400, 'The request body does not have the length that its headers announce.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The access key id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum you specified is not valid.'],
  InvalidPart: [
    400,
    'One or more of the specified parts could not be found. The part may not have been uploaded, or its ETag may not match.',
  ],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order of part number.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'Invalid request.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long: at most 1024 bytes in UTF-8.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our schema.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed size of 2 KB.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [
    404,
    'The specified multipart upload does not exist. The upload id may be invalid, or the upload may have been aborted or completed.',
  ],
  NotImplemented: [501, 'This object store does not implement that.'],
  PreconditionFailed: [412, 'At least one of the preconditions you specified did not hold.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the server time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your secret access key and signing method.',
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** A code of the S3 API's error responses. */
export type S3ErrorCode = keyof typeof ERRORS;

/** An answer that is an error: thrown anywhere below the handler, which writes it as XML. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  /** `message` says what to change if the code's own message does not. */
  constructor(code: S3ErrorCode, message?: string, headers: Record<string, string> = {}) {
    super(message ?? ERRORS[code][1]);
    this.name = 'S3Error';
    this.code = code;
    this.status = ERRORS[code][0];
    this.headers = headers;
  }
}
