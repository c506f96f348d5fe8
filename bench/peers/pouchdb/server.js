// express-pouchdb in an Express app, as PouchDB Server's documentation shows it, with the routes of replication.
import express from 'express';
import expressPouchdb from 'express-pouchdb';
import PouchDB from 'pouchdb';

const { PORT, FOLDER } = process.env;
const app = express();
app.use('/', expressPouchdb(PouchDB.defaults({ prefix: `${FOLDER}/` }), { mode: 'minimumForPouchDB' }));
app.listen(Number(PORT), '127.0.0.1');
