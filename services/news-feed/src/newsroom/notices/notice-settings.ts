import { secret, setting } from '@pressroom/common/start/config';
import { z } from 'zod';

const SECRET = 'whsec_ and base64 of at least 24 bytes';

/** The settings of notices, for `readConfig`. */
export const noticeSettings = {
  NEWS_NOTICE_COMMAND: setting(
    z.string().optional(),
    'A program without arguments that gets each notice as JSON on its standard input; exit code 0 within 10 s means that it has it.',
    'no notices',
  ),
  NEWS_NOTICE_URL: setting(
    secret(z.string().refine((value) => URL.parse(value)?.protocol === 'https:', 'an https URL')).optional(),
    'The address that notices are posted to. A secret, because such addresses often hold one.',
    'no notices',
  ),
  NEWS_NOTICE_SECRET: setting(
    secret(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, SECRET)).optional(),
    'The secret that signs what is posted, as Standard Webhooks say.',
    'unsigned',
  ),
};

/** The values of {@link noticeSettings}. */
export type NoticeConfig = z.infer<z.ZodObject<typeof noticeSettings>>;
