import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from '../shared/desk.ts';
import type { AccountApi } from './api/account.ts';
import type { Texts } from './text/texts.ts';

/** The parts of the page; `account.tsx` puts them together. */
export interface Account extends Desk {
  readonly api: AccountApi;
  readonly texts: Texts;
}

export const AccountContext = createContext<Account | undefined>(undefined);

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === undefined) throw new Error('there is no page of an account around this view');
  return account;
}
