import type { ContentClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

export const SCOPES = ['published', 'read', 'write', 'publish', 'full'] as const;

/** From least to most powerful. */
export type Scope = (typeof SCOPES)[number];

export interface KeyInput {
  readonly name: string;
  readonly scope: Scope;
  readonly category_id?: number;
  readonly expires_at?: string;
}

export interface ApiKey {
  readonly prefix: string;
  readonly name: string;
  readonly scope: Scope;
  readonly category_id: number | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export const EVENTS = ['article.*', 'category.*', 'tag.*', 'author.*', 'series.*'] as const;

export interface HookInput {
  readonly url: string;
  readonly events: (typeof EVENTS)[number][];
  readonly drafts: boolean;
}

export interface Hook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly drafts: boolean;
  readonly failures: number;
  readonly resume_at: string | null;
  readonly paused_at: string | null;
  readonly pause_code: 'by_operator' | 'receiver_failing' | 'receiver_gone' | 'secret_unreadable' | null;
  readonly waiting: number;
  readonly created_at: string;
  /** Of the last 30 days. */
  readonly last_attempt: { readonly fault_code: FaultCode | null } | null;
}

type FaultCode = 'not_public' | 'too_slow' | 'unreachable' | 'redirects' | 'refused';

/** An attempt to deliver an event. */
export interface Delivery {
  readonly event_id: number;
  readonly type: string;
  readonly subject: string;
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly fault_code: FaultCode | null;
}

/** The keys of content, and its hooks. Every method throws an `ApiProblem`. */
export class IntegrationsApi {
  readonly #client: ContentClient;

  constructor(service: Service) {
    this.#client = deskContentClient(service);
  }

  async keys(): Promise<readonly ApiKey[]> {
    return (await asked(this.#client.get('/api/keys'))).data;
  }

  /** Makes a key, and returns it: nobody can see it later. */
  async makeKey(body: KeyInput): Promise<string> {
    return (await asked(this.#client.post('/api/keys', { body }))).data.key;
  }

  async revokeKey(prefix: string): Promise<void> {
    await asked(this.#client.delete('/api/keys/{prefix}', { path: { prefix } }));
  }

  async categories(): Promise<readonly { readonly id: number; readonly name: string }[]> {
    return (await asked(this.#client.get('/api/categories'))).data;
  }

  async hooks(): Promise<readonly Hook[]> {
    return (await asked(this.#client.get('/api/hooks'))).data;
  }

  /** Adds a hook, and returns its secret: nobody can see it later. */
  async addHook(body: HookInput): Promise<string> {
    return (await asked(this.#client.post('/api/hooks', { body }))).data.secret;
  }

  async pauseHook(id: number, isPaused: boolean): Promise<void> {
    await asked(this.#client.patch('/api/hooks/{id}', { path: { id }, body: { is_paused: isPaused } }));
  }

  async newSecret(id: number): Promise<string> {
    return (await asked(this.#client.post('/api/hooks/{id}/secret', { path: { id } }))).data.secret;
  }

  /** Sends a test, and returns the id of its event. */
  async testHook(id: number): Promise<number> {
    return (await asked(this.#client.post('/api/hooks/{id}/test', { path: { id } }))).data.event_id;
  }

  /**
   * Delivers again what has happened since a time, or `event_id` alone and what followed on its subject, and
   * returns how many events that is.
   */
  async replayHook(id: number, since: string, event_id?: number): Promise<number> {
    const options = { path: { id }, body: { since, ...(event_id !== undefined && { event_id }) } };
    return (await asked(this.#client.post('/api/hooks/{id}/replay', options))).data.events;
  }

  async removeHook(id: number): Promise<void> {
    await asked(this.#client.delete('/api/hooks/{id}', { path: { id } }));
  }

  /** The latest attempts, newest first. */
  async deliveries(id: number): Promise<readonly Delivery[]> {
    return (await asked(this.#client.get('/api/hooks/{id}/deliveries', { path: { id } }))).data;
  }
}
