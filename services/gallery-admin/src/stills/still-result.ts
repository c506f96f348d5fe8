/** Why there is no picture of a file. */
export type Unseen =
  /** It is damaged or incomplete. */
  | 'damaged'
  /** Of this format, no pictures are made. */
  | 'unsupported'
  /** It needs more computing or memory than a picture is given. */
  | 'too_complex'
  /** A camera's raw file without an embedded preview. */
  | 'no_preview'
  /** A PDF with a password. */
  | 'locked';

/** A picture that sharp reads, with the file's EXIF where that is not in it, or why there is none. */
export type StillResult =
  | { image: Uint8Array; exif?: Uint8Array | undefined }
  | { unseen: Unseen | 'too_many_pixels' };
