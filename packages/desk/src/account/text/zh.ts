import { passwordZh } from '../../shared/text/password-zh.ts';
import type { Translated } from '../../shared/text/translated.ts';
import type { en } from './en.ts';

export const zh: Translated<typeof en> = {
  ...passwordZh,
  profile: '个人资料',
  name: '姓名',
  nameHint: '历史记录和您撰写的文章会显示此姓名。',
  noLanguage: '浏览器的语言',
  timeZone: '时区',
  timeZoneHint: '例如 Asia/Shanghai。此页面按浏览器的时区显示时间。',
  timeZoneWrong: '无法识别此时区。请填写如 Asia/Shanghai 的时区，或留空。',
  nameWrong: '姓名须为 1 至 200 个字符，且不能换行。',
  saved: '已保存。',
  ofServer: '这是服务器的账户：其名称和密码在服务器上通过 ADMIN_USERNAME 和 ADMIN_PASSWORD 设置。',
  changePassword: '更改密码',
  currentPassword: '当前密码',
  newPassword: '新密码',
  nameTaken: '此姓名已被其他成员使用。',
  wrongPassword: '当前密码不正确。',
  passwordChanged: '密码已更改。您在其他所有位置均已退出登录。',
  whereLoggedIn: '登录位置',
  thisOne: '当前设备',
  deviceOn: '{{system}} 上的 {{browser}}',
  unknownDevice: '未知设备',
  lastUse: '上次使用：{{date}}',
  end: '退出该处登录',
  endOne: '退出该处登录：{{device}}',
  endOthers: '退出其他所有登录',
};
