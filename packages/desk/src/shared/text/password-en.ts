export const passwordEn = {
  show: 'Show',
  passwordHint:
    'At least 12 characters. Four or five words that do not belong together are easy to remember.',
  passwordTooShort: 'This password is too short: it must have at least 12 characters.',
  passwordMostUsed: 'This password is one of the most used, which are guessed first. Choose another one.',
  passwordPersonal:
    'This password is little more than your name, your address or this site’s. Add other words.',
};
