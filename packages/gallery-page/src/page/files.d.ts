/** Styles that the build takes out of the scripts into a file of their own. */
declare module '*.css';
