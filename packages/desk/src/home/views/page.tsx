import { useTitle } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Draft, NewsNow, Planned, Stopped } from '../api/home.ts';
import { useHome } from '../home-context.ts';
import { readArticles } from '../state/articles-now.ts';
import { type Line, Lines } from './lines.tsx';
import { useBlock } from './use-block.ts';

/** The start page: what waits for whoever is logged in, each service for itself. */
export function HomePage() {
  const { api, me, texts } = useHome();
  const { say } = texts;
  const { value: site } = useBlock(() => api.site());
  const name = site?.isUnnamed ? undefined : (site?.name ?? undefined);
  useTitle(say('home'), ...(name === undefined ? [] : [name]));
  const isEditor = me.may('edit');
  const articles = useBlock(() => readArticles(api, me));
  const news = useBlock(async () => (isEditor ? api.news() : undefined));
  const stopped = useBlock(async () => {
    if (me.may('administer')) return api.stopped();
    return me.may('organize') ? api.stoppedBatches() : undefined;
  });
  const lines = useLines();
  const { value: written } = articles;
  const attention = [...lines.ofSources(news.value), ...lines.ofStopped(stopped.value)];
  const unfinished = written?.unfinished.some.map(lines.ofDraft) ?? [];
  const review = written?.review.some.map(lines.ofDraft) ?? [];
  const next = [...(written?.planned.map(lines.ofPlan) ?? []), ...lines.ofReport(news.value)].toSorted(
    (one, other) => Date.parse(one.at ?? '') - Date.parse(other.at ?? ''),
  );
  const blocks = { articles, news, stopped };
  const isLoading = Object.values(blocks).some((block) => block.isLoading);
  const isQuiet = [attention, unfinished, review, next].every((group) => group.length === 0);
  const isAway = Object.values(blocks).some(({ problem }) => problem !== undefined);
  const mine = written?.isMine ? '&mine=1' : '';
  return (
    <div class="page home">
      <Header>
        <span class="space" />
      </Header>
      <main class="main column">
        <h1>{say('home')}</h1>
        {name !== undefined && (
          <p class="hint">
            <bdi>{texts.name(name)}</bdi>
          </p>
        )}
        {!isLoading && !isAway && (
          <FirstSteps
            isQuiet={isQuiet}
            isUnnamed={site?.isUnnamed ?? false}
            isWritten={written === undefined || written.count > 0}
            hasSources={news.value === undefined || news.value.sources > 0}
          />
        )}
        {(['articles', 'news', 'stopped'] as const).map((name) => {
          const { problem, again } = blocks[name];
          return (
            problem !== undefined && (
              <p key={name} class="notice home-away" role="alert">
                {say(`away_${name}`)} {problemWords(problem, say)}
                <Button icon="retry" onClick={again}>
                  {say('tryAgain')}
                </Button>
              </p>
            )
          );
        })}
        <Lines
          title={say('attention')}
          lines={attention}
          isBad
          all={news.value?.failing.hasMore ? 'news/sources?state=failing' : undefined}
        />
        <Lines
          title={say(written?.isMine ? 'yours' : 'unfinished')}
          lines={unfinished}
          all={written?.unfinished.hasMore ? `articles?status=draft${mine}` : undefined}
        />
        <Lines
          title={say('review')}
          lines={review}
          all={written?.review.hasMore ? `articles?status=submitted${isEditor ? '' : mine}` : undefined}
        />
        <Lines
          title={say('next')}
          lines={next}
          all={next.length > 0 ? 'articles?status=scheduled' : undefined}
        />
        {isLoading && isQuiet && <Loading />}
      </main>
    </div>
  );
}

/** The lines of each kind. */
function useLines() {
  const { texts } = useHome();
  const { say } = texts;
  return {
    ofDraft: ({ id, title, author, state, at }: Draft): Line => ({
      ...{ to: `articles/${id}`, title: texts.title(title), facts: author, badge: say(`state_${state}`), at },
    }),
    ofPlan: ({ id, title, author, isPublished, at }: Planned): Line => ({
      ...{ to: `articles/${id}`, title: texts.title(title), facts: author, at },
      ...(isPublished && { badge: say('becomesDraft') }),
    }),
    ofReport: (news: NewsNow | undefined): Line[] => {
      if (news?.report === undefined) return [];
      const { items, lead, at } = news.report;
      const facts = [say('reportItems', { count: items }), lead ?? ''].filter(Boolean).join(' · ');
      return [{ to: 'news/report', title: say('report'), facts, at }];
    },
    ofSources: (news: NewsNow | undefined): Line[] =>
      (news?.failing.some ?? []).map(({ id, name, failingSince: since }) => ({
        to: `news/sources/${id}`,
        title: texts.name(name),
        facts:
          since === null
            ? say('sourceFails')
            : say('sourceFailsSince', { time: texts.date(Date.parse(since)) }),
      })),
    ofStopped: (stopped: Stopped | undefined): Line[] => {
      const { batches: count = 0, hooks = [], isBackupLate = false } = stopped ?? {};
      return [
        ...(isBackupLate ? [{ to: 'operations', title: say('backupLate'), facts: '' }] : []),
        ...hooks.map((host) => ({ to: 'people/hooks', title: host, facts: say('hookPaused') })),
        ...(count > 0 ? [{ to: 'media', title: say('batches', { count }), facts: '' }] : []),
      ];
    },
  };
}

function Quiet() {
  const { say } = useHome().texts;
  return (
    <div class="empty">
      <Icon name="done" size={32} />
      <p class="empty-title">{say('quiet')}</p>
      <p class="hint">{say('quietHint')}</p>
    </div>
  );
}

interface FirstStepsProps {
  /** True if nothing else is shown. */
  isQuiet: boolean;
  /** True while the site has the software's name. */
  isUnnamed: boolean;
  /** True if there are articles, or no service for them. */
  isWritten: boolean;
  hasSources: boolean;
}

/** What a site begins with: each step as far as the person may, until it is done. */
function FirstSteps({ isQuiet, isUnnamed, isWritten, hasSources }: FirstStepsProps) {
  const { api, me, texts } = useHome();
  const { say } = texts;
  const mayName = me.may('administer') && isUnnamed;
  const mayWrite = me.may('write') && !isWritten;
  const mayAdd = me.may('edit') && !hasSources;
  const { value: hasMedia = true, isLoading } = useBlock(async () => !me.may('upload') || api.hasMedia());
  const mayUpload = me.may('upload') && !hasMedia;
  if (!mayName && !mayWrite && !mayAdd && !mayUpload) return isQuiet && !isLoading ? <Quiet /> : null;
  return (
    <section class="home-first" aria-labelledby="home-first">
      <h2 id="home-first">{say('firstTitle')}</h2>
      <ol class="first-steps">
        {mayName && (
          <li>
            {say('firstName')}
            <div class="buttons">
              <Link to="people/site" class="button plain">
                <Icon name="settings" />
                {say('nameSite')}
              </Link>
            </div>
          </li>
        )}
        {mayWrite && (
          <li>
            {say('firstArticle')}
            <div class="buttons">
              <Link to="articles/new" class="button primary">
                <Icon name="edit" />
                {say('writeFirst')}
              </Link>
              {me.may('edit') && (
                <Link to="moving" class="button plain">
                  <Icon name="download" />
                  {say('importFirst')}
                </Link>
              )}
            </div>
          </li>
        )}
        {mayAdd && (
          <li>
            {say('firstSource')}
            <div class="buttons">
              <Link to="news/sources?add=1" class="button plain">
                <Icon name="add" />
                {say('addSource')}
              </Link>
            </div>
          </li>
        )}
        {mayUpload && (
          <li>
            {say('firstMedia')}
            <div class="buttons">
              <Link to="media" class="button plain">
                <Icon name="upload" />
                {say('upload')}
              </Link>
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}
