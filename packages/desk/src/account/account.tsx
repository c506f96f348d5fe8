import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { AccountContext } from './account-context.ts';
import { AccountApi } from './api/account.ts';
import { Texts } from './text/texts.ts';
import { AccountPage } from './views/page.tsx';

/** Makes the page on which people change their own account. */
export function openAccount(desk: Desk): ComponentType {
  const account = { ...desk, api: new AccountApi(desk.service), texts: new Texts(desk.voice, 'account') };
  return () => (
    <AccountContext.Provider value={account}>
      <AccountPage />
    </AccountContext.Provider>
  );
}
