import { useFollowing } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ContextMenu } from '../../shared/views/menu.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { useWide } from '../../shared/views/use-wide.ts';
import { useApp } from '../app-context.ts';
import { isInTrash } from '../trash.ts';
import { useActions } from './actions.ts';
import { FolderTree } from './folder-tree.tsx';
import { Listing } from './listing.tsx';
import { runAction, useItems } from './selection-menu.ts';
import { Toolbar } from './toolbar.tsx';
import { chooseUpload } from './upload-button.tsx';

/** The folder: what can be done, and what is in it. */
export function Files() {
  const app = useApp();
  const { folder, place, texts } = app;
  const shown = folder.shown.value;
  const state = folder.state.value;
  const actions = useActions();
  const items = useItems();
  useFollowing((isOpening) => folder.follow(isOpening));
  const title = <h1 class="unseen">{texts.folder(place.value.value.folder)}</h1>;
  if (state === 'failed' && folder.problem.value !== undefined && shown.length === 0) {
    return (
      <>
        {title}
        <ProblemView problem={folder.problem.value} onRetry={() => void folder.refresh()}>
          {folder.problem.value.status >= 500 && app.me.may('administer') && (
            <>
              <p class="hint">{texts.say('otherBucket')}</p>
              <Button icon="buckets" onClick={() => place.go({ screen: 'buckets', file: undefined })}>
                {texts.say('buckets')}
              </Button>
            </>
          )}
        </ProblemView>
      </>
    );
  }
  return (
    <>
      {title}
      {app.api.isElsewhere.value && (
        <p class="notice" role="alert">
          {texts.say('bucketChanged')}
          <Button onClick={() => location.reload()}>{texts.say('reload')}</Button>
        </p>
      )}
      <Toolbar />
      <div class="beside-folders">
        {useWide() && <FolderTree />}
        <ContextMenu
          label={texts.say('moreActions')}
          items={items}
          onSelect={(value) => void runAction(value, app, actions)}
        >
          {shown.length > 0 ? <Listing entries={shown} /> : <Empty />}
        </ContextMenu>
      </div>
      <Status />
    </>
  );
}

/** The folder when there is nothing to show. */
function Empty() {
  const { folder, me, place, texts } = useApp();
  const { say } = texts;
  const { filter, everywhere, folder: here } = place.value.value;
  const state = folder.state.value;
  const isTrash = isInTrash(here);
  const isFiltered = filter !== '';
  if (state === 'loading' || (isFiltered && state === 'more')) return <Loading />;
  if (here === '' && !isFiltered && me.may('upload')) return <FirstSteps />;
  const hint = everywhere ? say('noMatchAnywhere', { text: filter }) : say('noMatchHint');
  return (
    <div class="empty">
      <Icon name={isFiltered ? 'search' : isTrash ? 'delete' : 'folder'} size={32} />
      <p class="empty-title">{say(isFiltered ? 'noMatch' : isTrash ? 'trashEmpty' : 'emptyFolder')}</p>
      <p class="hint">{isFiltered ? hint : say(isTrash ? 'trashHint' : 'emptyFolderHint')}</p>
    </div>
  );
}

function FirstSteps() {
  const { say } = useApp().texts;
  return (
    <div class="empty">
      <Icon name="image" size={32} />
      <p class="empty-title">{say('firstTitle')}</p>
      <ol class="first-steps">
        <li>
          {say('firstUpload')}
          <div class="buttons">
            <Button icon="file" onClick={() => chooseUpload('files')}>
              {say('uploadFiles')}
            </Button>
            <Button icon="folder" onClick={() => chooseUpload('folder')}>
              {say('uploadFolder')}
            </Button>
          </div>
        </li>
        <li>{say('firstSort')}</li>
        <li>{say('firstShow')}</li>
      </ol>
    </div>
  );
}

function Status() {
  const { folder, place, texts, visibility } = useApp();
  const { say } = texts;
  const { filter, everywhere, folder: here } = place.value.value;
  const state = folder.state.value;
  const count = folder.loaded.value.length;
  const folders = folder.loaded.value.filter(({ kind }) => kind === 'folder').length;
  const words = () => {
    if (everywhere && filter !== '') return say('looked', { count: folder.looked.value });
    if (filter !== '') return say('shownOf', { shown: folder.shown.value.length, count });
    const files = say(state === 'complete' ? 'fileCount' : 'filesSoFar', { count: count - folders });
    return folders === 0 ? files : say('foldersToo', { files, count: folders });
  };
  return (
    <footer class="status">
      <span role="status">{words()}</span>
      {visibility.ofFolder(here) === 'public' && <span>{say('publicHint')}</span>}
      {((state === 'more' && filter === '') || state === 'failed') && (
        <Button kind="quiet" onClick={() => void (state === 'failed' ? folder.refresh() : folder.loadAll())}>
          {say(state === 'failed' ? 'tryAgain' : 'loadAll')}
        </Button>
      )}
      {folder.isStale.value && (
        <Button kind="primary" onClick={() => void folder.refresh()}>
          {say('showChanges')}
        </Button>
      )}
      {filter !== '' && (state === 'loading' || state === 'more') && <span class="spinner small" />}
    </footer>
  );
}
