/** Tests of `test/object-store/s3` and `test/gallery` that a store cannot pass, and why. */
export interface Lack {
  /** The test file, from the repository's root. */
  file: string;
  /** The full name of a test, or a pattern for names of tests in the file. */
  test: string | RegExp;
  why: string;
}

const LISTING = 'test/object-store/s3/listing.test.ts';
const OBJECTS = 'test/object-store/s3/objects.test.ts';
const MULTIPART = 'test/object-store/s3/multipart.test.ts';
const CONDITIONS = 'test/object-store/s3/conditions.test.ts';
const SIGNATURES = 'test/object-store/s3/signatures.test.ts';

/** For stores that map keys to file system paths. */
const FILE_OR_FOLDER = 'a key cannot be a file and the folder of other keys at once';

const SIBLINGS: readonly Lack[] = [
  { file: LISTING, test: 'a prefix is a prefix of bytes, not a folder', why: FILE_OR_FOLDER },
  { file: LISTING, test: 'a delimiter folds what follows it', why: FILE_OR_FOLDER },
  { file: LISTING, test: /^pages of \d entries add up to the whole$/, why: FILE_OR_FOLDER },
  { file: LISTING, test: 'a page of common prefixes goes on after the last of them', why: FILE_OR_FOLDER },
  { file: LISTING, test: 'a page counts its entries and says whether there are more', why: FILE_OR_FOLDER },
  {
    file: OBJECTS,
    test: 'a name, a folder with that name and its content exist side by side',
    why: FILE_OR_FOLDER,
  },
  { file: OBJECTS, test: 'a key has 1024 bytes at most', why: 'a segment of a key has 255 bytes at most' },
  {
    file: 'test/object-store/s3/buckets.test.ts',
    test: 'a bucket that is created again keeps its content',
    why: 'making a bucket again is 409 BucketAlreadyOwnedByYou, as in every region of AWS but the first',
  },
  {
    file: CONDITIONS,
    test: 'a put that must replace something does not create it',
    why: 'a PUT with If-Match to nothing is 404 NoSuchKey, not 412',
  },
  {
    file: MULTIPART,
    test: 'a part is not copied from beyond its source',
    why: 'the refusal is 400 InvalidArgument, not 416 InvalidRange',
  },
];

/** Names that some tools store, and that such stores cannot keep. */
const DOT_SEGMENTS: Omit<Lack, 'why'> = {
  file: 'test/gallery/archives.test.ts',
  test: 'no name in it leads out of the folder where it is unpacked, or looks like another',
};

const EMPTY_SEGMENT: Omit<Lack, 'why'> = {
  file: 'test/gallery/trash.test.ts',
  test: 'a file whose name has an empty segment goes to the trash and comes back',
};

const MINIO: readonly Lack[] = [
  ...SIBLINGS,
  { ...DOT_SEGMENTS, why: 'a name with a segment that is empty, "." or ".." is refused' },
  { ...EMPTY_SEGMENT, why: 'a name with a segment that is empty, "." or ".." is refused' },
  {
    file: 'test/gallery/cli.test.ts',
    test: 'gallery bucket create makes the bucket with one rule that exposes ETag, however often it is run',
    why: 'it has no CORS rules by bucket: the whole server allows every origin',
  },
  {
    file: 'test/gallery/cli.test.ts',
    test: 'gallery bucket create keeps the rules that are there',
    why: 'it has no CORS rules by bucket',
  },
  {
    file: 'test/object-store/s3/cors.test.ts',
    test: /^(?!a bucket without rules).+$/,
    why: 'it has no CORS rules by bucket',
  },
  {
    file: 'test/object-store/s3/interruptions.test.ts',
    test: 'a reader gets the object that it began to read',
    why: 'an object that is replaced while it is read breaks the reading off',
  },
  {
    file: MULTIPART,
    test: 'parts that are not the uploaded ones are refused, and the upload goes on',
    why: 'completing without parts is 400 InvalidRequest, not MalformedXML',
  },
  {
    file: MULTIPART,
    test: 'completing once more answers as the first time',
    why: 'an upload is forgotten when it is complete: 404 NoSuchUpload',
  },
];

const VERSITYGW: readonly Lack[] = [
  ...SIBLINGS,
  { ...DOT_SEGMENTS, why: 'empty segments, "." and ".." are resolved, as in paths of files' },
  { ...EMPTY_SEGMENT, why: 'empty segments, "." and ".." are resolved, as in paths of files' },
  {
    file: 'test/gallery/buckets.test.ts',
    test: 'the test of a bucket says what to fix for an unknown access key',
    why: 'an unknown access key is XAdminUserNotFound, which no other store says',
  },
  {
    file: 'test/gallery/buckets.test.ts',
    test: /^a store that cannot be used is 500 server_misconfigured when it refuses its access key/,
    why: 'an unknown access key is 404 XAdminUserNotFound',
  },
  {
    file: SIGNATURES,
    test: 'an unknown key is refused, in the header and in a URL',
    why: 'an unknown access key is 404 XAdminUserNotFound, not 403 InvalidAccessKeyId',
  },
  {
    file: SIGNATURES,
    test: 'a wrong signature reveals nothing about existing objects',
    why: 'a bucket that is not there is 404 before the signature is looked at',
  },
  {
    file: SIGNATURES,
    test: 'a signed URL carries metadata',
    why: 'metadata in the query string of a signed URL is ignored',
  },
  {
    file: 'test/gallery/operations.test.ts',
    test: /^(copy|move) takes files and folders along under any name$/,
    why: 'the marker of a folder cannot hold bytes',
  },
  {
    file: 'test/gallery/operations.test.ts',
    test: 'what others have stored as "d/a\\u0001b" is copied, moved and deleted',
    why: 'a control character of a key is listed as U+FFFD',
  },
  {
    file: 'test/gallery/operations.test.ts',
    test: 'a file with a control character in its name keeps the date when it was written',
    why: 'a control character of a key is listed as U+FFFD',
  },
  {
    file: 'test/gallery/operations.test.ts',
    test: 'a destination that the store cannot name is 400, and nothing is changed',
    why: 'a copy to a segment of over 255 bytes is 409 ExistingObjectIsDirectory',
  },
  {
    file: 'test/gallery/operations.test.ts',
    test: 'a path without a slash is the file where there is one, else the folder',
    why: FILE_OR_FOLDER,
  },
  {
    file: CONDITIONS,
    test: 'a reader that already has the object gets 304',
    why: 'If-None-Match of a GET is not looked at in every form',
  },
  {
    file: 'test/object-store/s3/cors.test.ts',
    test: 'a page reads errors, too',
    why: 'a refusal of the signature carries no CORS headers',
  },
  {
    file: 'test/object-store/s3/delete-objects.test.ts',
    test: 'a quiet delete reports only errors',
    why: 'Quiet is ignored',
  },
  {
    file: 'test/object-store/s3/delete-objects.test.ts',
    test: 'more than a thousand keys are refused',
    why: 'the number of keys has no limit',
  },
  {
    file: 'test/object-store/s3/interruptions.test.ts',
    test: /^an upload that breaks off leaves (no object|the object that was there)$/,
    why: 'a body shorter than its Content-Length is kept as the object',
  },
  { file: LISTING, test: 'encoded names decode to what they were', why: 'EncodingType is not answered' },
  { file: LISTING, test: 'a listing begins after a key, be it there or not', why: FILE_OR_FOLDER },
  {
    file: OBJECTS,
    test: 'a put replaces the object and all that describes it',
    why: 'metadata of the object that was there stays',
  },
  {
    file: 'test/object-store/s3/ranges.test.ts',
    test: 'bytes=4-2 of ten bytes is nothing',
    why: 'a range that ends before it begins is ignored, as RFC 9110 allows',
  },
];

/** The stores of the check by name. */
export const LACKS = { minio: MINIO, versitygw: VERSITYGW } as const;
