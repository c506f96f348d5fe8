import type { RouteLine } from '../http/operation.ts';

type NewsroomRoute = readonly [method: RouteLine[0], path: string, operationId: string];

/**
 * The newsroom's operations, by the id in their schemas: the worker serves them to the desk, and
 * gallery-admin passes them on below `/api/desk/newsroom`.
 */
export const NEWSROOM_ROUTES: readonly NewsroomRoute[] = [
  ['GET', '/api/vocabulary', 'getVocabulary'],
  ['GET', '/api/status', 'getStatus'],
  ['GET', '/api/jobs', 'listFailedJobs'],
  ['GET', '/api/notices', 'listNotices'],
  ['GET', '/api/items', 'listItems'],
  ['POST', '/api/items', 'addItem'],
  ['GET', '/api/withdrawn-items', 'listWithdrawnItems'],
  ['GET', '/api/items/:id', 'getItem'],
  ['PATCH', '/api/items/:id', 'editItem'],
  ['POST', '/api/items/:id/select', 'selectItem'],
  ['POST', '/api/items/:id/deselect', 'deselectItem'],
  ['POST', '/api/items/:id/withdraw', 'withdrawItem'],
  ['POST', '/api/items/:id/restore', 'restoreItem'],
  ['GET', '/api/items/:id/history', 'getItemHistory'],
  ['GET', '/api/items/:id/explanation', 'explainItem'],
  ['POST', '/api/edits/:edit/undo', 'undoEdit'],
  ['GET', '/api/stories', 'listStories'],
  ['GET', '/api/stories/:id', 'getStory'],
  ['GET', '/api/stories/:id/history', 'getStoryHistory'],
  ['POST', '/api/stories/:id/merge', 'mergeStory'],
  ['POST', '/api/stories/:id/unmerge', 'unmergeStory'],
  ['POST', '/api/stories/:id/split', 'splitStory'],
  ['PUT', '/api/stories/:id/digest', 'writeDigest'],
  ['PUT', '/api/stories/:id/correction', 'noteOnStory'],
  ['PUT', '/api/stories/:id/hot-place', 'placeStory'],
  ['GET', '/api/sources', 'listSources'],
  ['POST', '/api/sources', 'addSource'],
  ['POST', '/api/sources/try', 'trySource'],
  ['GET', '/api/sources/:id', 'getSource'],
  ['PATCH', '/api/sources/:id', 'editSource'],
  ['DELETE', '/api/sources/:id', 'removeSource'],
  ['POST', '/api/sources/:id/restore', 'restoreSource'],
  ['POST', '/api/sources/:id/pause', 'pauseSource'],
  ['POST', '/api/sources/:id/resume', 'resumeSource'],
  ['GET', '/api/sources/:id/dropped', 'listDroppedEntries'],
  ['POST', '/api/sources/:id/rules/try', 'trySourceRules'],
  ['GET', '/api/opml', 'exportSources'],
  ['POST', '/api/opml', 'importSources'],
  ['GET', '/api/reports/:period/preview', 'previewReport'],
  ['POST', '/api/reports/:period/publish', 'publishReport'],
  ['POST', '/api/reports/:period/correct', 'correctReport'],
  ['GET', '/api/reports/:period/:date/correction', 'getReportCorrection'],
  ['PUT', '/api/reports/:period/:date/correction', 'noteOnReport'],
  ['GET', '/api/ranking', 'explainRanking'],
  ['POST', '/api/ranking', 'publishRanking'],
  ['POST', '/api/import', 'importLines'],
  ['GET', '/api/import/schema', 'getLineSchema'],
];

/** Those that owners alone may ask for. */
export const NEWSROOM_OWNER_ROUTES: readonly NewsroomRoute[] = [
  ['GET', '/api/settings', 'getSettings'],
  ['PATCH', '/api/settings', 'changeSettings'],
];
