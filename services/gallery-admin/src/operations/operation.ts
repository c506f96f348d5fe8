/** The name that a path gets at its destination, without a `/`. */
export interface NewName {
  path: string;
  name: string;
}

/** What an operation is asked to do, as it is recorded. */
export interface OperationRequest {
  /** `trash` is a deletion to the trash. */
  action: 'delete' | 'trash' | 'restore' | 'copy' | 'move' | 'rename';
  /** Keys and folders. */
  paths: string[];
  /** The destination folder as a prefix, empty for the root; for a renaming the folder of the path. */
  dest: string;
  /** The new name, for a renaming. */
  name?: string | undefined;
  /** The names that some paths of a copy, move or restoration get at the destination. */
  names?: NewName[] | undefined;
  /** For a deletion of a file: a folder with its name is not deleted instead. */
  filesOnly?: true | undefined;
}

/** A request that takes a batch back, or a part of it. */
export type Undoing =
  | { action: 'move'; paths: string[]; dest: string; names?: NewName[] | undefined }
  | { action: 'rename'; path: string; name: string }
  | { action: 'restore'; paths: string[] };

/** How an operation ended, as it is recorded and reported to the client. */
export interface Outcome {
  message: string;
  /** Why it failed; undefined if it is done. */
  code?: string | undefined;
  /** Number of objects deleted, copied or moved. */
  affected?: number;
  /** What takes it back. */
  undo?: Undoing[];
  /** After a renaming: where the file or the folder is now. */
  path?: string | undefined;
}

/** How far a run has come; `total` is null while it is unknown. */
export interface Steps {
  done: number;
  total: number | null;
}
