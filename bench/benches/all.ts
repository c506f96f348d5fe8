import type { Bench } from '../bench.ts';
import type { SectionMaker } from '../report/section.ts';
import { content } from './content.ts';
import { contradictions } from './contradictions.ts';
import { deployed } from './deployed.ts';
import { gallery } from './gallery.ts';
import { galleryPeers } from './gallery-peers.ts';
import { growth } from './growth.ts';
import { idle } from './idle.ts';
import { logins } from './logins.ts';
import { moving } from './moving.ts';
import { newsPeers } from './news-peers.ts';
import { newsroom } from './newsroom.ts';
import { peers } from './peers.ts';
import { reading } from './reading.ts';
import { scaling } from './scaling.ts';
import { selected } from './selected.ts';
import { stories } from './stories.ts';
import { worst } from './worst.ts';

/** Every bench by its name, in the order in which all are run. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  content,
  reading,
  selected,
  gallery,
  stories,
  contradictions,
  newsroom,
  growth,
  worst,
  logins,
  moving,
  scaling,
  idle,
  peers,
  deployed,
  'gallery-peers': galleryPeers,
  'news-peers': newsPeers,
};

/** Makers of the sections of pages, by the name in their marks. */
export const SECTIONS: Readonly<Record<string, SectionMaker>> = Object.assign(
  {},
  ...Object.values(BENCHES).map(({ sections }) => sections),
);
