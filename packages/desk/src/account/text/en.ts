import { passwordEn } from '../../shared/text/password-en.ts';

/** What the page of one's own account says. */
export const en = {
  ...passwordEn,
  profile: 'Profile',
  name: 'Name',
  nameHint: 'Histories, and articles that you write, carry it.',
  noLanguage: 'That of the browser',
  timeZone: 'Time zone',
  timeZoneHint: 'Such as Europe/Berlin. This page shows times in the zone of this browser.',
  timeZoneWrong: 'This time zone is not known. Write one such as Europe/Berlin, or nothing.',
  nameWrong: 'The name must have 1 to 200 characters, on one line.',
  saved: 'Saved.',
  ofServer:
    'This is the account of the server: its name and password are set there, as ADMIN_USERNAME and ADMIN_PASSWORD.',
  changePassword: 'Change the password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  nameTaken: 'Another person has this name.',
  wrongPassword: 'The current password is wrong.',
  passwordChanged: 'The password is changed. You are logged out everywhere else.',
  whereLoggedIn: 'Where you are logged in',
  thisOne: 'This one',
  deviceOn: '{{browser}} on {{system}}',
  unknownDevice: 'A device that is not known',
  lastUse: 'last used {{date}}',
  end: 'Log out there',
  endOne: 'Log out there: {{device}}',
  endOthers: 'Log out everywhere else',
};
