import { createTransport, type Transporter } from 'nodemailer';
import type { GalleryConfig } from '../config.ts';
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

export interface MailedInvitation {
  to: { name: string; email: string };
  inviter: string;
  link: string;
  language: keyof typeof WORDS;
}

/** Sends invitations by the mail server of `SMTP_URL`. */
export class InvitationMail {
  readonly #transport: Transporter;
  readonly #from: string;

  private constructor(url: string, from: string) {
    const limits = {
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
    };
    this.#transport = createTransport({ url, ...limits, disableFileAccess: true, disableUrlAccess: true });
    this.#from = from;
  }

  /** Undefined where no mail server is set. */
  static of({ SMTP_URL: url, SMTP_FROM: from }: GalleryConfig): InvitationMail | undefined {
    return url === undefined || from === undefined ? undefined : new InvitationMail(url, from);
  }

  async send({ to: { name, email }, inviter, link, language }: MailedInvitation): Promise<void> {
    const { subject, text } = WORDS[language];
    await this.#transport.sendMail({
      from: this.#from,
      to: { name, address: email },
      subject: subject(inviter),
      text: text(name, link),
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }

  close(): void {
    this.#transport.close();
  }
}
