import { type ReadonlySignal, signal } from '@preact/signals';

export type Role = 'owner' | 'editor' | 'writer' | 'photographer' | 'reader';

/** What a role may allow: in the media, to people and buckets, and to articles and news. */
export type Right = 'upload' | 'organize' | 'administer' | 'write' | 'edit';

/** What the gallery does not say itself: `write` is to draft articles of one's own, `edit` all of it. */
const OF_ROLE: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['write', 'edit'],
  editor: ['write', 'edit'],
  writer: ['write'],
  photographer: [],
  reader: [],
};

export interface Profile {
  /** Null for the account of the environment. */
  readonly id: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly may: readonly string[];
  readonly language: 'en' | 'zh' | null;
  readonly timeZone: string | null;
  /** The author of content that the person is; null if that is not known. */
  readonly authorId: number | null;
}

export class Me {
  readonly #profile = signal<Profile | undefined>(undefined);
  readonly #read: () => Promise<Profile>;
  #known: Promise<void> | undefined;

  constructor(read: () => Promise<Profile>) {
    this.#read = read;
  }

  /** Undefined until it is known. */
  get profile(): ReadonlySignal<Profile | undefined> {
    return this.#profile;
  }

  /** Waits until it is known who is logged in, or that this cannot be known now. */
  known(): Promise<void> {
    this.#known ??= this.load().catch(() => {
      this.#known = undefined;
    });
    return this.#known;
  }

  async load(): Promise<void> {
    this.#profile.value = await this.#read();
  }

  /** Takes up what has changed. */
  learn(profile: Profile): void {
    this.#profile.value = profile;
  }

  /** Whether to offer something. Where it is not known, the service refuses what is not allowed. */
  may(right: Right): boolean {
    const profile = this.#profile.value;
    return profile === undefined || profile.may.includes(right) || OF_ROLE[profile.role].includes(right);
  }
}
