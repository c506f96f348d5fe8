import { passwordZh } from '../../shared/text/password-zh.ts';
import type { Translated } from '../../shared/text/translated.ts';
import type { en } from './en.ts';

export const zh: Translated<typeof en> = {
  ...passwordZh,
  welcome: '欢迎，{{name}}',
  chooseHint: '请设置密码。之后您将使用 {{email}} 和此密码登录。',
  passkeyOnly: '此处使用通行密钥登录：由此设备创建，并确认是您本人。',
  noPassword: '此处不使用密码登录。请选择登录方式。',
  passkeyInstead: '改用通行密钥',
  accept: '保存并开始',
  signInInstead: '不设密码：使用 {{name}} 登录',
  invitationOver: '此邀请已被使用、已失效或已被新的邀请取代。请索取新的邀请。',
  invitationUnknown: '此页面需要完整的邀请链接。请打开您收到的链接。',
  toTheDesk: '前往工作台',
};
