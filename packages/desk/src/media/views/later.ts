/** Views that are loaded on demand: in one file, as each file has its headers, and parts that it shares. */
export { Activity } from './activity.tsx';
export { Dialogs } from './dialogs.tsx';
export { UploadPanel } from './upload-panel.tsx';
export { Viewer } from './viewer.tsx';
