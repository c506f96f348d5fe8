import { Failure } from '@pressroom/common/failures/failure';
import type { FastifyBaseLogger } from 'fastify';
import type { GalleryConfig } from '../config.ts';
import { contentFor } from '../desk.ts';
import { SharedWork } from '../proxy/thumbnails.ts';
import { isWriting, type PeopleStore, type Role } from './people-store.ts';

/** The timeout of content's answer, in ms. */
const TIMEOUT_MS = 5000;

/** The longest name of an author, in characters. */
const LONGEST_NAME = 100;

/** Makes people of the desk authors of content, as whom they write. */
export class AuthorLinks {
  readonly #people: PeopleStore;
  readonly #work = new SharedWork<number | null>();
  readonly #config: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY'>;

  constructor(people: PeopleStore, config: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY'>) {
    this.#people = people;
    this.#config = config;
  }

  /**
   * Links a person with the author of this name, or else with a new one, and returns its id; null without a
   * content service. Somebody who is an author stays that one.
   *
   * @throws Failure `unavailable` if content does not answer
   */
  async link(person: string, name: string): Promise<number | null> {
    try {
      // Pages ask several things at once: one of them makes the author.
      const patience = AbortSignal.timeout(TIMEOUT_MS);
      return await this.#work.do(person, patience, (signal) => this.#link(person, name, signal));
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new Failure('unavailable', 'content does not say which author you are; try again', { cause });
    }
  }

  /** The same for somebody who was just given a role, if readers are to see them; later if it fails now. */
  async linkIfWriting(
    { id, name, role }: { id: string; name: string; role: Role },
    log: FastifyBaseLogger,
  ): Promise<number | null> {
    if (!isWriting(role)) return null;
    return this.link(id, name).catch((error: unknown) => {
      log.warn({ err: error, person: id }, 'author_not_linked');
      return null;
    });
  }

  async #link(person: string, name: string, signal: AbortSignal): Promise<number | null> {
    const content = contentFor(this.#config);
    if (content === undefined || this.#config.DESK_KEY === undefined) return null;
    const known = await this.#people.authorOf(person);
    if (known !== null) return known;
    const query = { q: [...name].slice(0, LONGEST_NAME).join(''), per_page: 50 };
    const { data: found } = await content.get('/api/authors', { query, signal });
    for (const author of found.filter((one) => one.name === query.q)) {
      if (await this.#people.linkAuthor(person, author.id)) return author.id;
      // Another replica may have been first.
      const linked = await this.#people.authorOf(person);
      if (linked !== null) return linked;
    }
    const { data: made } = await content.post('/api/authors', { body: { name: query.q }, signal });
    return (await this.#people.linkAuthor(person, made.id)) ? made.id : this.#people.authorOf(person);
  }
}
