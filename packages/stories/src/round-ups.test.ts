import { expect, test } from 'vitest';
import { isRoundUp } from './terms.ts';

test.each([
  'Morning briefing: what you need to know',
  'Election night: live updates',
  'Sports news in brief from around the world',
  'Liveticker zur Wahl in Hessen',
  'Revue de presse : grèves et neige',
  'Прогноз погоды на 8 ноября',
  'Điểm tin sáng 5/11',
  '科技早报｜腾珑发布新机',
  '今日要闻汇总',
  '오늘의 주요 뉴스',
  'Rates rise; a bridge opens; the mayor resigns; rain on Sunday',
])('%s tells several stories', (title) => {
  expect(isRoundUp(title)).toBe(true);
});

test.each([
  'Magnitude 6.4 earthquake strikes off Arica, Chile',
  'The paper that printed the morning news closes',
  '北京晚报记者获奖',
  'Bridge collapses in Chiva | World | The Leeds Post',
  'Живой блог закрыт судом',
])('%s tells one', (title) => {
  expect(isRoundUp(title)).toBe(false);
});
