/** A segment with which a path leads elsewhere. */
const LEADS_ELSEWHERE = /(?:^|[/\\])\.{1,2}(?:$|[/\\])/;

/**
 * True for an id that no store gives. versitygw takes the id of an upload for the name of a file, so `../..`
 * would be the folder of another bucket.
 */
export function isStrangeUploadId(uploadId: string): boolean {
  return LEADS_ELSEWHERE.test(uploadId);
}
