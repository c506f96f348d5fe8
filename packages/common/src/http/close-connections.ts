import type { Server } from './server.ts';

/** Interval of the checks of open connections while the server closes, in ms. */
const LOOK_MS = 20;

/**
 * Closes each connection as soon as its last request is answered while the server closes. Node closes those
 * that are idle when closing starts; the others would stay open as long as their clients like and keep the
 * process alive.
 */
export function closeAnsweredConnections(app: Server): void {
  app.addHook('preClose', (done) => {
    if (!app.server.listening) return done();
    const timer = setInterval(() => app.server.closeIdleConnections(), LOOK_MS);
    app.server.once('close', () => clearInterval(timer));
    return done();
  });
}
