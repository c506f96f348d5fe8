import type { Chosen } from './chosen-files.ts';

/** The files of a drop or a paste; folders are read with everything in them. */
export async function droppedFiles(data: DataTransfer): Promise<Chosen[]> {
  // The list is empty as soon as the event is over: everything is asked for before the first wait.
  const entries = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found = entries.map(async ({ entry, file }) => {
    if (entry?.isDirectory) return readFolder(entry as FileSystemDirectoryEntry, `${entry.name}/`);
    return file === null ? [] : [{ file, path: file.name }];
  });
  return (await Promise.all(found)).flat();
}

/** The files of an input, which may be for a folder. */
export function chosenFiles({ files }: HTMLInputElement): Chosen[] {
  return [...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

async function readFolder(folder: FileSystemDirectoryEntry, path: string): Promise<Chosen[]> {
  const reader = folder.createReader();
  const found: Chosen[] = [];
  for (;;) {
    // A browser answers with a hundred entries at a time, and with none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return found;
    for (const entry of entries) {
      if (entry.isDirectory) {
        found.push(...(await readFolder(entry as FileSystemDirectoryEntry, `${path}${entry.name}/`)));
        continue;
      }
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      found.push({ file, path: `${path}${entry.name}` });
    }
  }
}
