import type { ContentClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { Anchor } from '../editor/editing/anchors.ts';

/** Something that somebody said about an article, or to a comment. */
export interface Comment {
  readonly id: number;
  /** The comment that it answers. */
  readonly parent_id: number | null;
  readonly text: string;
  /** Null for the whole article. */
  readonly anchor: Anchor | null;
  readonly created_at: string;
  readonly key: { readonly name: string | null } | null;
  readonly edited_at: string | null;
  readonly resolved_at: string | null;
  readonly resolved_by: { readonly name: string | null } | null;
  /** The actions that the logged-in person may take on it. */
  readonly may: readonly ('edit' | 'resolve' | 'delete')[];
}

export interface NewComment {
  readonly text: string;
  readonly parent_id?: number;
  readonly anchor?: Anchor | null;
}

/** The comments of articles, by way of the desk. Every method throws an `ApiProblem`. */
export class CommentsApi {
  readonly #client: ContentClient;

  constructor(service: Service) {
    this.#client = deskContentClient(service);
  }

  async list(id: number): Promise<readonly Comment[]> {
    return (await asked(this.#client.get('/api/articles/{id}/comments', { path: { id } }))).data;
  }

  /** Adds a comment; the same key adds one, however often it is sent. */
  async add(id: number, body: NewComment, idempotencyKey: string): Promise<Comment> {
    const options = { path: { id }, body, idempotencyKey };
    return (await asked(this.#client.post('/api/articles/{id}/comments', options))).data;
  }

  async change(
    id: number,
    comment_id: number,
    body: { text: string } | { is_resolved: boolean } | { anchor: Anchor },
  ): Promise<void> {
    const options = { path: { id, comment_id }, body };
    await asked(this.#client.patch('/api/articles/{id}/comments/{comment_id}', options));
  }

  async remove(id: number, comment_id: number): Promise<void> {
    const path = { id, comment_id };
    await asked(this.#client.delete('/api/articles/{id}/comments/{comment_id}', { path }));
  }
}
