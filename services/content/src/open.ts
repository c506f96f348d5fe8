import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { openPruning } from '@pressroom/common/concurrency/background-loop';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import { openReads } from '@pressroom/common/database/read-pool';
import { compareReplicas } from '@pressroom/common/database/replica-settings';
import type { Server } from '@pressroom/common/http/operation';
import { ledgerMeters } from '@pressroom/common/ledger/ledger';
import type { Logger } from '@pressroom/common/log/logging';
import { cacheMeter, poolMeters, readMeters } from '@pressroom/common/metrics/meter';
import { openSearches } from '@pressroom/common/search/open-searches';
import { openTracing } from '@pressroom/common/tracing/tracing';
import { buildApp } from './app.ts';
import { readExtraSchema } from './articles/extra-schema.ts';
import { Indexing } from './articles/indexing.ts';
import { prunePictures } from './articles/pictures.ts';
import { pruneTrail } from './audit.ts';
import { announcedSubjects } from './cache-subjects.ts';
import { AGREED_SETTINGS, type ContentConfig, inspectionRules } from './config.ts';
import { Embeds } from './embeds/embeds.ts';
import { DeliveryQueue, openDeliveries } from './hooks/deliveries.ts';
import { HOOKS_DUE, HookStore, hookMeters } from './hooks/store.ts';
import { HtmlInspector } from './html/html-inspector.ts';
import { ImportWorker } from './moving/import-worker.ts';
import { IMPORTS_DUE, ImportStore } from './moving/imports-store.ts';
import { prune } from './revisions.ts';
import { Scheduler, scheduleMeters } from './scheduler.ts';
import { SiteSettings } from './site-settings.ts';
import { SyncStore } from './sync.ts';
import type { ContentTables } from './tables.ts';

/** The running service and its open resources. */
export interface OpenContent {
  app: Server;
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes, and builds the service on them. */
export async function openContent(
  config: ContentConfig,
  log: Logger,
  inspector = new HtmlInspector(inspectionRules(config)),
  embeds = new Embeds(),
): Promise<OpenContent> {
  const extraSchema = await readExtraSchema(config.CONTENT_EXTRA_SCHEMA);
  const name = 'pressroom content';
  // Before anything asks the database: only connections opened from then on are traced.
  const tracing = await openTracing(config, 'content', log);
  const pool = openPool(config, name, log);
  const db = queriesOn<ContentTables>(pool);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName: name,
    channel: 'content_changed',
    followsWal: config.DATABASE_READ_URL !== undefined,
    onChange: (about) => forget(announcedSubjects(about)),
    others: {
      content_unsearchable: () => indexing.wake(),
      content_scheduled: () => scheduler.wake(),
      [HOOKS_DUE]: () => deliveries?.wake(),
      [IMPORTS_DUE]: () => importing.wake(),
      content_settings: compareReplicas(config, AGREED_SETTINGS, log),
    },
    log,
  });
  const cache = new RepresentationCache({ maxBytes: config.CACHE_BYTES, lease: changes });
  const reads = openReads({ config, name, pool, db, changes, log });
  const settings = new SiteSettings({ db, readDb: reads.db, config, lease: changes });
  // First the settings: what is made of them comes from the cache.
  const forget = (subjects?: ReadonlySet<string>) => {
    if (subjects === undefined) settings.forget();
    cache.clear(subjects);
  };
  const concurrency = config.CONTENT_SEARCH_CONCURRENCY;
  const searches = openSearches<ContentTables>({ config, concurrency, name, changes, log });
  const seen = () => changes.position.seen();
  const sync = new SyncStore({ db, readDb: reads.db, seen, forget: () => cache.clear() });
  const kept = {
    revisions: config.CONTENT_REVISIONS_KEPT,
    days: config.CONTENT_REVISIONS_DAYS,
    trashDays: config.CONTENT_TRASH_DAYS,
  };
  const indexing = new Indexing(config, name, log, extraSchema);
  const scheduler = new Scheduler(config, name, log);
  const deliveries = openDeliveries(config, db, sync, log);
  const imports = new ImportStore(db);
  const importing = new ImportWorker(imports, config, settings, log);
  const pruning = openPruning(
    {
      revisions: (signal) => prune(db, kept, signal),
      audit: async (signal) => ({ entries: await pruneTrail(db, config.CONTENT_AUDIT_DAYS, signal) }),
      imports: () => imports.prune(config.CONTENT_TRASH_DAYS),
      pictures: () => prunePictures(db),
      // Also without a key: nothing delivers events then.
      events: async (signal) => ({ events: await new DeliveryQueue(db).prune(signal) }),
    },
    log,
  );
  changes.start();
  const pools = { main: pool, ...(reads.replica && { replica: reads.replica }), ...searches.pools };
  for (const opened of Object.values(pools)) tracing?.traceQueries(opened);
  const release = async () => {
    const loops = [indexing, scheduler, deliveries, importing, pruning];
    await Promise.all([changes.close(), ...loops.map((loop) => loop?.stop())]);
    await Promise.all([db.destroy(), reads.close(), searches.close(), tracing?.close()]);
  };
  const changed = (subjects?: ReadonlySet<string>) => {
    seen();
    forget(subjects);
  };
  const meters = [
    ...poolMeters(pools),
    cacheMeter(cache),
    ...readMeters({ main: reads.pool, search: searches.readPool }),
    ...ledgerMeters(db, 'content'),
    ...hookMeters(new HookStore(db)),
    ...scheduleMeters(db),
  ];
  const dbs = { db, readDb: reads.db, gate: searches.gate };
  const parts = {
    config,
    ...dbs,
    cache,
    changed,
    settings,
    sync,
    imports,
    log,
    inspector,
    extraSchema,
    embeds,
    meters,
    tracing,
  };
  return { app: await buildApp(parts), release };
}
