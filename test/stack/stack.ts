import { type Answer, type Sending, send } from '../support/http.ts';

/** The one address of the deployment, without a slash at its end. Throws if `STACK_URL` is not set. */
function stackUrl(): string {
  const url = process.env.STACK_URL?.replace(/\/+$/, '');
  if (!url) throw new Error('Set STACK_URL to the address of the deployment, such as http://127.0.0.1:8080');
  return url;
}

/** Sends a request to the deployment. */
export function ask(path: string, sending?: Sending): Promise<Answer> {
  return send(stackUrl() + path, sending);
}

/** A setting that a test of writing needs. Throws if it is not set. */
export function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: the writing tests change the deployment with it`);
  return value;
}
