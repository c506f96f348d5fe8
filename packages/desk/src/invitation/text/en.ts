import { passwordEn } from '../../shared/text/password-en.ts';

export const en = {
  ...passwordEn,
  welcome: 'Welcome, {{name}}',
  chooseHint: 'Choose a password. From then on you log in with {{email}} and this password.',
  passkeyOnly: 'You log in here with a passkey: this device makes it, and checks that it is you.',
  noPassword: 'You log in here without a password. Choose how.',
  passkeyInstead: 'Use a passkey instead',
  accept: 'Save and begin',
  signInInstead: 'No password: sign in with {{name}}',
  invitationOver:
    'This invitation was used already, has ended, or was replaced by a newer one. Ask for a new one.',
  invitationUnknown: 'This page needs the whole link of an invitation. Open the link that you were given.',
  toTheDesk: 'To the desk',
};
