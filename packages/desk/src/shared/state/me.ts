import { type ReadonlySignal, signal } from '@preact/signals';

export type Role = 'owner' | 'editor' | 'writer' | 'photographer' | 'reader';

/** Rights in the media, over people and buckets, and over articles and news. */
export type Right = 'upload' | 'organize' | 'administer' | 'write' | 'edit';

/**
 * Rights that the gallery does not report: `write` is to draft articles of one's own, `edit` to change all.
 */
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

/** What the account of the environment is called where others have an id. */
export const ENVIRONMENT = 'environment';

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

  /** The name in this browser's storage of what belongs to whoever is logged in: others use it, too. */
  storedAs(name: string): string {
    const profile = this.#profile.peek();
    return `${name}.${profile === undefined ? 'unknown' : (profile.id ?? ENVIRONMENT)}`;
  }

  async load(): Promise<void> {
    this.#profile.value = await this.#read();
  }

  /** Takes up what has changed. */
  learn(profile: Profile): void {
    this.#profile.value = profile;
  }

  /** True to offer an action. If the rights are unknown, the service refuses what is not allowed. */
  may(right: Right): boolean {
    const profile = this.#profile.value;
    return profile === undefined || profile.may.includes(right) || OF_ROLE[profile.role].includes(right);
  }
}
