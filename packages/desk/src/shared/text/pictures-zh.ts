import type { picturesEn } from './pictures-en.ts';
import type { Translated } from './translated.ts';

export const picturesZh: Translated<typeof picturesEn> = {
  dropPicture: '将图片拖到此处，或',
  choosePicture: '从媒体库选择',
  uploadPicture: '上传图片',
  removePicture: '移除图片',
  fromGallery: '来自媒体库',
  pictures: '图片',
  upTo: '返回 {{folder}}',
  rootFolder: '全部文件',
  notPublic: '读者看不到此文件夹中的文件。公开文件夹：{{folders}}。',
  othersCopy: '可请编辑将图片复制到 {{folder}}，或自行上传。',
  copyAndUse: '复制到 {{folder}} 并使用',
  noPublicFolder: '媒体库没有公开的文件夹（MEDIA_PUBLIC），读者将看不到图片。',
  placeKnown: '图片可能含有拍摄地点且无法去除。请在“媒体库”中上传并自行决定。',
  cutOff: '图片已上传，但不完整：文件在结尾之前就中断了。请从相机或原件重新上传。',
  notUploaded: '图片未上传。',
  noPictures: '此文件夹中没有图片',
  morePictures: '更多图片',
  searchPictures: '搜索所有公开图片',
  recentPictures: '最新',
  uploadHere: '上传到此处',
  uploadingPicture: '正在上传…',
  noPictureFound: '没有找到图片',
  searchedSome: '媒体库的文件多于已搜索的 {{count}} 个。其他图片请打开文件夹查找。',
};
