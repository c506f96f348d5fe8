/** A folder or a file, as the page keeps it: without its signed URL, which would be most of its memory. */
export interface Entry {
  readonly kind: 'folder' | 'image' | 'video' | 'audio' | 'file';
  readonly name: string;
  /** The key; of a folder the prefix, which ends with `/`. */
  readonly path: string;
  /** In bytes; 0 for folders. */
  readonly size: number;
  /** In ms since 1970: when it was written, or in the trash when it was deleted; 0 for other folders. */
  readonly modified: number;
  readonly contentType: string;
  /** The path at which anybody may read it, if it is public. */
  readonly publicPath?: string | undefined;
  /** A blurred preview, in base64, if one was made. */
  readonly thumbhash?: string | undefined;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** A batch in the background, as far as it has come. */
export interface BatchState {
  readonly id: string;
  readonly action: 'delete' | 'restore' | 'copy' | 'move' | 'rename';
  /** The first of its paths. */
  readonly paths: readonly string[];
  readonly pathCount: number;
  readonly dest: string | null;
  readonly name: string | null;
  readonly state: 'running' | 'interrupted' | 'done' | 'failed';
  readonly progress: { readonly done: number; readonly total: number | null };
  readonly message: string | null;
  readonly code: string | null;
  readonly affected: number | null;
}

export interface Uses {
  readonly canChange: boolean;
  readonly articles: readonly { readonly id: number; readonly title: string }[];
  readonly hasMore: boolean;
}

export interface BucketView {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly forcePathStyle: boolean;
  readonly publicEndpoint: string | null;
  readonly editable: boolean;
  readonly active: boolean;
}

/** A bucket as a form sends it. */
export interface BucketForm {
  readonly id?: string;
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly forcePathStyle: boolean;
  readonly publicEndpoint: string | null;
}
