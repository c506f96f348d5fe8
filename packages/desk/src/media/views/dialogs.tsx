import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../../shared/api/problem.ts';
import { withoutUnseen } from '../../shared/text/visible.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { DialogClose } from '../../shared/views/dialog-close.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { KeyboardHelp } from '../../shared/views/keyboard-help.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { Names } from '../../shared/views/names.tsx';
import { errorWords, problemWords } from '../../shared/views/problem-view.tsx';
import type { Entry, Uses } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { AddressChoice, Choice, DoubtedKind, Given } from '../state/dialogs.ts';
import { nameFault } from '../state/names.ts';
import { nameOf, parentOf } from '../state/place.ts';
import { deletionOf } from '../state/steps.ts';
import type { TextName } from '../text/texts.ts';
import { isInTrash, TRASH } from '../trash.ts';
import { ConflictFiles } from './conflict-files.tsx';
import { foundIn } from './entry-link.tsx';
import { FailureDialog } from './failure-dialog.tsx';
import { FolderTree } from './folder-tree.tsx';
import { UsedCount, UsedIn } from './used-in.tsx';

/** The dialog that is open, if there is one. */
export function Dialogs() {
  const { dialogs } = useApp();
  const open = dialogs.open.value;
  switch (open?.kind) {
    case 'delete':
      return <DeleteDialog entries={open.entries} />;
    case 'rename':
      return <RenameDialog entry={open.entry} />;
    case 'empty-trash':
      return <EmptyTrashDialog />;
    case 'folders':
      return <FoldersDialog />;
    case 'new-folder':
      return <NewFolderDialog />;
    case 'move':
    case 'copy':
      return <DestinationDialog action={open.kind} entries={open.entries} dest={open.dest} />;
    case 'conflict':
      // The next question is another dialog, however alike they are.
      return <ConflictDialog key={open.answer} {...open} />;
    case 'places':
    case 'cutOff':
      return <DoubtedDialog key={open.answer} {...open} />;
    case 'addresses':
      return <AddressesDialog {...open} />;
    case 'keyboard':
      return <KeyboardDialog />;
    case 'failure':
      return <FailureDialog what={open.what} reason={open.reason} />;
    default:
      return null;
  }
}

function DeleteDialog({ entries }: { entries: readonly Entry[] }) {
  const app = useApp();
  const { dialogs, selection, tasks, texts } = app;
  const { say } = texts;
  const folders = entries.filter(({ kind }) => kind === 'folder').length;
  const files = entries.length - folders;
  const isTrashed = entries.some(({ path }) => isInTrash(path));
  const [forGood, setForGood] = useState(isTrashed);
  const parts = [
    ...(files > 0 ? [say('fileCount', { count: files })] : []),
    ...(folders > 0 ? [say('deleteFolders', { count: folders })] : []),
  ];
  const [a = '', b] = parts;
  const remove = () => {
    dialogs.close();
    selection.clear();
    const paths = entries.map(({ path }) => path);
    void tasks.run({ action: 'delete', count: paths.length }, deletionOf(paths, !forGood));
  };
  return (
    <Modal title={say('deleteTitle', { count: entries.length })} onClose={() => dialogs.close()}>
      <Names names={entries.map(({ name, path }) => withFolder(name, foundIn(app, path)))} />
      <p class="hint">
        {b === undefined ? a : say('and', { a, b })}
        <br />
        {say(forGood ? 'deleteWarning' : 'trashHint')}
      </p>
      {!isTrashed && <UsedIn paths={entries.map(({ path }) => path)} />}
      {!isTrashed && <CheckField label={say('deleteForGood')} checked={forGood} onChecked={setForGood} />}
      <DeleteButtons onDelete={remove} />
    </Modal>
  );
}

function EmptyTrashDialog() {
  const { dialogs, folder, selection, tasks, texts } = useApp();
  const { say } = texts;
  const remove = () => {
    dialogs.close();
    selection.clear();
    void tasks.run({ action: 'delete', count: folder.loaded.peek().length }, deletionOf([TRASH]));
  };
  return (
    <Modal title={say('emptyTrashTitle')} onClose={() => dialogs.close()}>
      <p class="hint">{say('deleteWarning')}</p>
      <DeleteButtons onDelete={remove} />
    </Modal>
  );
}

function DeleteButtons({ onDelete }: { onDelete: () => void }) {
  const { dialogs, texts } = useApp();
  return (
    <div class="modal-buttons">
      <Button onClick={() => dialogs.close()} autofocus>
        {texts.say('cancel')}
      </Button>
      <Button kind="danger" onClick={onDelete}>
        {texts.say('delete')}
      </Button>
    </div>
  );
}

/** Two files that a search has found may have one name. */
function withFolder(name: string, folder: string | undefined): string {
  return folder === undefined ? name : `${folder}/${name}`;
}

interface NameFormProps {
  label: TextName;
  submit: TextName;
  initial: string;
  /** The reason why the caller could not do it; the dialog stays open. */
  problem: string | undefined;
  onName: (name: string) => void;
}

function NameForm({ label, submit, initial, problem, onName }: NameFormProps) {
  const { dialogs, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [name, setName] = useState(initial);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The ending usually stays.
    const dot = initial.lastIndexOf('.');
    input.current?.setSelectionRange(0, dot > 0 ? dot : initial.length);
  }, [initial]);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (nameFault(name) === undefined) onName(name.normalize('NFC'));
      }}
    >
      <label class="field">
        <span>{say(label)}</span>
        <input
          ref={input}
          value={name}
          autofocus
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem !== undefined || nameFault(name) === 'characters'}
          aria-describedby={id}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <p class="form-problem" role="alert" id={id}>
        {nameFault(name) === 'characters' ? say('nameCharacters') : problem}
      </p>
      <div class="modal-buttons">
        <Button onClick={() => dialogs.close()}>{say('cancel')}</Button>
        <button type="submit" class="button primary" disabled={nameFault(name) !== undefined}>
          <span>{say(submit)}</span>
        </button>
      </div>
    </form>
  );
}

/** A typed name, with the former extension if it has none: a file without one is of no type. */
function withExtension(typed: string, before: string): string {
  const extension = /[^.]\.(?=\d*[a-z])[\da-z]{1,10}$/i;
  return extension.test(typed) ? typed : typed + (extension.exec(before)?.[0].slice(1) ?? '');
}

function RenameDialog({ entry }: { entry: Entry }) {
  const { api, dialogs, selection, tasks, texts, uses } = useApp();
  const { say } = texts;
  const [problem, setProblem] = useState<string>();
  const rename = async (typed: string) => {
    const name = entry.path.endsWith('/') ? typed : withExtension(typed, entry.name);
    if (name === entry.name) return dialogs.close();
    const parent = parentOf(entry.path);
    const taken = await api.takenNames(parent, [name]).catch(() => new Set<string>());
    if (taken.has(name)) return setProblem(say('nameTaken'));
    dialogs.close();
    const renamed = `${parent}${name}${entry.path.endsWith('/') ? '/' : ''}`;
    const moved = new Map([[entry.path, renamed]]);
    const plan = await uses.ask(moved);
    if (plan === undefined) return;
    selection.clear();
    const work = { action: 'rename', from: entry.name, to: name } as const;
    const task = await tasks.run(work, [{ action: 'rename', path: entry.path, name }]);
    await uses.follow(task, plan, moved);
  };
  return (
    <Modal title={say('renameTitle', { name: entry.name })} onClose={() => dialogs.close()}>
      <NameForm
        label="newName"
        submit="rename"
        initial={withoutUnseen(entry.name)}
        problem={problem}
        onName={(typed) => void rename(typed)}
      />
    </Modal>
  );
}

/** Where there is no room for the folders beside the files. */
function FoldersDialog() {
  const { dialogs, texts } = useApp();
  return (
    <Modal title={texts.say('folders')} onClose={() => dialogs.close()}>
      <FolderTree onGone={() => dialogs.close()} />
      <DialogClose onClose={() => dialogs.close()} />
    </Modal>
  );
}

function NewFolderDialog() {
  const { api, announce, dialogs, folder, place, texts } = useApp();
  const { say } = texts;
  const [problem, setProblem] = useState<string>();
  const create = async (name: string) => {
    try {
      await api.createFolder(`${place.value.peek().folder}${name}/`);
      dialogs.close();
      announce(say('folderCreated', { name }));
      await folder.refresh();
    } catch (error) {
      setProblem(errorWords(error, say));
    }
  };
  return (
    <Modal title={say('newFolder')} onClose={() => dialogs.close()}>
      <NameForm
        label="newFolderName"
        submit="create"
        initial=""
        problem={problem}
        onName={(name) => void create(name)}
      />
    </Modal>
  );
}

interface DestinationProps {
  action: 'move' | 'copy';
  entries: readonly Entry[];
  dest?: string | undefined;
}

function DestinationDialog({ action, entries, dest }: DestinationProps) {
  const { api, connection, dialogs, place, selection, texts, transfers, visibility } = useApp();
  const { say } = texts;
  const [folder, setFolder] = useState(dest ?? place.value.peek().folder);
  const [folders, setFolders] = useState<readonly Entry[]>();
  const [problem, setProblem] = useState<unknown>();
  const returns = connection.returns.value;
  useEffect(() => {
    let isCurrent = true;
    setFolders(undefined);
    setProblem(undefined);
    api.folders(folder).then(
      (found) => isCurrent && setFolders(found),
      (error: unknown) => isCurrent && setProblem(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, folder, returns]);
  const moved = new Set(entries.map(({ path }) => path));
  // A copy beside its original gets another name; a move would change nothing.
  const isHere = action === 'move' && entries.every(({ path }) => parentOf(path) === folder);
  const run = () => {
    dialogs.close();
    selection.clear();
    void transfers.run(action, [...moved], folder);
  };
  return (
    <Modal title={say(`${action}Title`, { count: entries.length })} onClose={() => dialogs.close()}>
      <div class="destination">
        <div class="destination-here">
          {folder !== '' && (
            <Button kind="quiet" icon="previous" onClick={() => setFolder(parentOf(folder))}>
              {texts.folder(parentOf(folder))}
            </Button>
          )}
          <strong>
            <bdi>{folder === '' ? say('root') : texts.name(nameOf(folder))}</bdi>
          </strong>
        </div>
        <ul class="destination-list" aria-label={say('folder')}>
          {folders
            ?.filter(({ path }) => !moved.has(path))
            .map(({ path, name }) => (
              <li key={path}>
                <button type="button" class="destination-folder" onClick={() => setFolder(path)}>
                  <Icon name="folder" />
                  <bdi>{texts.name(name)}</bdi>
                  <Icon name="next" size={14} />
                </button>
              </li>
            ))}
          {folders?.length === 0 && <li class="hint">{say('noFolders')}</li>}
        </ul>
      </div>
      <p class="hint" role="status">
        {say(visibility.ofFolder(folder) === 'public' ? 'publicHint' : 'privateHint')}
      </p>
      <p class="form-problem" role="alert">
        {problem instanceof ApiProblem && problemWords(problem, say)}
      </p>
      <div class="modal-buttons">
        <Button onClick={() => dialogs.close()}>{say('cancel')}</Button>
        <Button kind="primary" disabled={isHere} onClick={run}>
          {say(`${action}Here`)}
        </Button>
      </div>
    </Modal>
  );
}

interface ConflictProps {
  folder: string;
  given: readonly Given[];
  choices: readonly Choice[];
  answer: (choice: Choice | undefined) => void;
}

const CHOICES: Readonly<Record<Choice, TextName>> = { both: 'keepBoth', replace: 'replace', skip: 'skip' };

function ConflictDialog({ folder, given, choices, answer }: ConflictProps) {
  const { texts } = useApp();
  const { say } = texts;
  return (
    <Modal isUnasked title={say('conflictTitle', { count: given.length })} onClose={() => answer(undefined)}>
      <p class="hint">{say('conflictIn', { folder: texts.folder(folder) })}</p>
      <ConflictFiles folder={folder} given={given} />
      <div class="modal-buttons">
        <Button kind="quiet" onClick={() => answer(undefined)}>
          {say('cancel')}
        </Button>
        {choices.toReversed().map((choice) => (
          <Button
            key={choice}
            kind={choice === choices[0] ? 'primary' : 'plain'}
            onClick={() => answer(choice)}
          >
            {say(CHOICES[choice])}
          </Button>
        ))}
      </div>
    </Modal>
  );
}

function DoubtedDialog({
  kind,
  names,
  answer,
}: {
  kind: DoubtedKind;
  names: readonly string[];
  answer: (choice: 'keep' | 'skip' | undefined) => void;
}) {
  const { say } = useApp().texts;
  return (
    <Modal isUnasked title={say(`${kind}Title`, { count: names.length })} onClose={() => answer(undefined)}>
      <p class="hint">{say(`${kind}Hint`)}</p>
      <Names names={names} />
      <div class="modal-buttons">
        <Button kind="quiet" onClick={() => answer(undefined)}>
          {say('cancel')}
        </Button>
        <Button onClick={() => answer('keep')}>
          {say(kind === 'places' ? 'uploadUnchanged' : 'uploadAnyway')}
        </Button>
        <Button kind="primary" onClick={() => answer('skip')}>
          {say('leaveOut')}
        </Button>
      </div>
    </Modal>
  );
}

interface AddressesProps {
  uses: Uses;
  hidden: Uses | undefined;
  answer: (choice: AddressChoice | undefined) => void;
}

function AddressesDialog({ uses, hidden, answer }: AddressesProps) {
  const { say } = useApp().texts;
  const isHidden = new Set(hidden?.articles.map(({ id }) => id));
  const others = uses.articles.filter(({ id }) => !isHidden.has(id));
  const canChange = uses.canChange && others.length > 0;
  return (
    <Modal
      isUnasked
      title={say(hidden === undefined ? 'addressesTitle' : 'hidingTitle')}
      onClose={() => answer(undefined)}
    >
      {hidden !== undefined && <UsedArticles uses={hidden} hint={say('hidingHint')} />}
      {others.length > 0 && <UsedArticles uses={{ ...uses, articles: others }} hint={say('addressesHint')} />}
      <div class="modal-buttons">
        <Button kind="quiet" onClick={() => answer(undefined)}>
          {say('cancel')}
        </Button>
        <Button kind={hidden === undefined || canChange ? 'plain' : 'danger'} onClick={() => answer('keep')}>
          {say(hidden === undefined || canChange ? 'keepAddresses' : 'hideAnyway')}
        </Button>
        {canChange && (
          <Button kind={hidden === undefined ? 'primary' : 'danger'} onClick={() => answer('change')}>
            {say('changeAddresses')}
          </Button>
        )}
      </div>
    </Modal>
  );
}

function UsedArticles({ uses, hint }: { uses: Uses; hint: string }) {
  return (
    <>
      <UsedCount uses={uses} />
      <Names names={[...new Set(uses.articles.map(({ title }) => title))]} />
      <p class="hint">{hint}</p>
    </>
  );
}

const KEYS: readonly (readonly [keys: string, text: TextName])[] = [
  ['Enter', 'open'],
  ['Space', 'keySelect'],
  ['Shift + ↑ ↓ ← →', 'keyRange'],
  ['Ctrl + A', 'selectAll'],
  ['Ctrl + X / C / V', 'keyClipboard'],
  ['F2', 'rename'],
  ['Delete', 'delete'],
  ['Backspace', 'keyUp'],
  ['/', 'keyFilter'],
];

function KeyboardDialog() {
  const { dialogs, texts } = useApp();
  const keys = KEYS.map(([key, text]) => [key, texts.say(text)] as const);
  return <KeyboardHelp keys={keys} onClose={() => dialogs.close()} />;
}
