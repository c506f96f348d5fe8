import type { passwordEn } from './password-en.ts';
import type { Translated } from './translated.ts';

export const passwordZh: Translated<typeof passwordEn> = {
  show: '显示',
  passwordHint: '至少 12 个字符。四五个互不相关的词既安全又好记。',
  passwordTooShort: '密码太短：至少需要 12 个字符。',
  passwordMostUsed: '这是最常用的密码之一，很容易被猜到，请另选一个。',
  passwordPersonal: '密码几乎只由您的姓名、邮箱或本站地址组成，请加入其他词语。',
};
