/** Styles that the build takes out of the scripts into a separate file. */
declare module '*.css';
