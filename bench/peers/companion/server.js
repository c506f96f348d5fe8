// Companion in an Express app, as its documentation shows it, for uploads to S3.
import { tmpdir } from 'node:os';
import * as companion from '@uppy/companion';
import express from 'express';
import session from 'express-session';

const { PORT, SECRET, S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } =
  process.env;
const app = express();
app.get('/ready', (_request, response) => response.end());
app.use(express.json());
app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }));
const { app: companionApp } = companion.app({
  server: { host: `127.0.0.1:${PORT}`, protocol: 'http' },
  filePath: tmpdir(),
  secret: SECRET,
  uploadUrls: ['http://127.0.0.1'],
  corsOrigins: true,
  s3: {
    key: S3_ACCESS_KEY_ID,
    secret: S3_SECRET_ACCESS_KEY,
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    bucket: S3_BUCKET,
    forcePathStyle: true,
  },
});
app.use(companionApp);
companion.socket(app.listen(Number(PORT), '127.0.0.1'));
