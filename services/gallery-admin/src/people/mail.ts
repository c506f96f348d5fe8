import type { SendMailOptions } from 'nodemailer';
import { INVITED_HOURS } from './people-store.ts';

/** In ms, for each step of the mail server: an owner waits for it. */
const STEP_TIMEOUT_MS = 10_000;

/** The text of an invitation, in the sender's language. */
const WORDS = {
  en: {
    subject: (inviter: string) => `${inviter} invites you to the desk`,
    text: (name: string, link: string) =>
      `Hello ${name},\n\nwith this link you choose how you log in. It works once, for ${INVITED_HOURS} hours:\n\n${link}\n`,
  },
  zh: {
    subject: (inviter: string) => `${inviter} 邀请您加入管理台`,
    text: (name: string, link: string) =>
      `${name}，您好！\n\n请打开此链接选择登录方式。链接只能使用一次，${INVITED_HOURS} 小时内有效：\n\n${link}\n`,
  },
} as const;

const TEST = {
  en: { subject: 'A test from the desk', text: 'Mail from the desk arrives at this address.\n' },
  zh: { subject: '管理台的测试邮件', text: '此地址可以收到管理台的邮件。\n' },
} as const;

interface MailedInvitation {
  to: { name: string; email: string };
  inviter: string;
  link: string;
  language: keyof typeof WORDS;
}

/** A mail server, with user and password if it takes them, and the address that mail comes from. */
export interface MailServer {
  url: string;
  from: string;
}

export async function sendInvitation(
  by: MailServer,
  { to: { name, email }, inviter, link, language }: MailedInvitation,
): Promise<void> {
  const { subject, text } = WORDS[language];
  await send(by, { to: { name, address: email }, subject: subject(inviter), text: text(name, link) });
}

/** Sends a mail that says that mail arrives. */
export async function sendTest(by: MailServer, to: string, accepted: string | undefined): Promise<void> {
  await send(by, { to, ...TEST[languageOf(accepted)] });
}

/** The language of a mail to somebody, as `Accept-Language` of whoever sends it names it. */
export function languageOf(accepted: string | undefined): keyof typeof WORDS {
  return /^zh\b/i.test(accepted ?? '') ? 'zh' : 'en';
}

/** Why a mail was not taken. */
export const MAIL_FAULTS = ['address_refused', 'login_refused', 'not_set', 'refused', 'unreachable'] as const;

type MailFault = (typeof MAIL_FAULTS)[number];

/** By the codes of nodemailer. */
const FAULTS: Readonly<Record<string, MailFault>> = {
  EAUTH: 'login_refused',
  ENOAUTH: 'login_refused',
  EENVELOPE: 'address_refused',
  ETLS: 'unreachable',
  ESOCKET: 'unreachable',
  ECONNECTION: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EDNS: 'unreachable',
};

/** Says why a mail server did not take a mail. */
export function mailFault(error: unknown): MailFault {
  return FAULTS[(error as { code?: string }).code ?? ''] ?? 'refused';
}

async function send({ url, from }: MailServer, message: Pick<SendMailOptions, 'to' | 'subject' | 'text'>) {
  const limits = {
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
  };
  // Not at the start: it takes megabytes, and mail is rare.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, ...limits, disableFileAccess: true, disableUrlAccess: true });
  try {
    await transport.sendMail({ ...message, from, headers: { 'Auto-Submitted': 'auto-generated' } });
  } finally {
    transport.close();
  }
}
