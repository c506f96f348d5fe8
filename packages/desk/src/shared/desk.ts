import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Service } from './api/service.ts';
import type { Address } from './state/address.ts';
import type { Connection } from './state/connection.ts';
import type { Me } from './state/me.ts';
import type { Preferences } from './state/preferences.ts';
import type { Session } from './state/session.ts';
import type { Texts } from './text/texts.ts';
import type { Voice } from './text/voice.ts';

/** The parts that all sections share; `main.tsx` puts them together. */
export interface Desk {
  readonly address: Address;
  readonly connection: Connection;
  readonly me: Me;
  readonly preferences: Preferences;
  readonly service: Service;
  readonly session: Session;
  /** The outcome of a login at a provider, until it has been announced. */
  readonly signOn: Signal<string | undefined>;
  readonly texts: Texts;
  readonly voice: Voice;
  /** Says something to people who hear the page. */
  readonly announce: (text: string) => void;
}

/** Hands the common parts to every view. */
export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error('there is no desk around this view');
  return desk;
}

/** Names what the document shows, from the narrowest to the widest, before the desk itself. */
export function useTitle(...names: readonly string[]): void {
  const title = [...names, useDesk().texts.say('desk')].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/**
 * True if a file could not be shown, and a function that says so; the file is tried again when the service is
 * back.
 */
export function useBroken(): readonly [isBroken: boolean, broken: () => void] {
  const { returns } = useDesk().connection;
  const [brokenAt, setBrokenAt] = useState(-1);
  return [brokenAt === returns.value, () => setBrokenAt(returns.peek())];
}

/** The interval between looks at what others do, in ms. */
const FOLLOW_MS = 15_000;

/** Looks when a view opens, and then again and again while somebody can see it. */
export function useFollowing(look: (isOpening: boolean) => Promise<unknown>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const go = async (isOpening: boolean) => {
      clearTimeout(timer);
      // What cannot be looked at now can be later: nobody has asked for it.
      if (document.visibilityState === 'visible') await look(isOpening).catch(() => undefined);
      if (isLeft) return;
      clearTimeout(timer);
      timer = setTimeout(() => void go(false), FOLLOW_MS);
    };
    const onVisible = () => {
      if (document.visibilityState === 'visible') void go(false);
    };
    document.addEventListener('visibilitychange', onVisible);
    void go(true);
    return () => {
      isLeft = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
}
