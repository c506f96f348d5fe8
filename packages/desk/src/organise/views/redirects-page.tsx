import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import type { Redirect, RedirectPage } from '../api/redirects.ts';
import { useOrganise } from '../organise-context.ts';
import { Frame } from './frame.tsx';
import { Listing, SearchField, usePages } from './listing.tsx';
import { RedirectDialog } from './redirect-dialog.tsx';
import { RedirectTable } from './redirect-table.tsx';
import { TryAddress } from './try-address.tsx';
import { reasonOf } from './words.ts';

/** The open dialog; without a redirect it is about a new one. */
type Question =
  | { readonly what: 'write'; readonly redirect?: Redirect }
  | { readonly what: 'remove'; readonly redirect: Redirect };

/** The page of where old addresses lead. */
export function RedirectsPage() {
  const { redirects: api, texts } = useOrganise();
  const { say } = texts;
  const [text, setText] = useState('');
  const [question, ask] = useState<Question>();
  const [version, setVersion] = useState(0);
  const [siteOrigin, setSiteOrigin] = useState<string>();
  const { found, problem, reload, loadMore } = usePages<RedirectPage>(text, [api], async (before) => {
    const { redirects, next } = await api.list(text.trim(), before?.next ?? null);
    return { redirects: [...(before?.redirects ?? []), ...redirects], next };
  });
  useEffect(() => {
    // Without it, what is pasted is taken for an address of the site.
    api.siteOrigin().then(setSiteOrigin, () => undefined);
  }, [api]);
  /** A dialog may speak of what others have changed since. */
  const closed = () => {
    ask(undefined);
    setVersion(version + 1);
    void reload();
  };
  const isEmpty = found?.redirects.length === 0;
  return (
    <div class="page organise">
      <Frame place="redirects" onNew={() => ask({ what: 'write' })}>
        <TryAddress siteOrigin={siteOrigin} version={version} />
        {(!isEmpty || text !== '') && (
          <div class="organise-tools">
            <SearchField label={say('searchAddresses')} text={text} onText={setText} />
            <a class="button plain" href={api.nginxUrl} download="pressroom-redirects.conf">
              <Icon name="download" />
              <span>{say('downloadNginx')}</span>
            </a>
          </div>
        )}
        <Listing
          count={found?.redirects.length}
          {...{ problem, reload, text }}
          none={say('none_redirects')}
          noneHint={say('noneHint_redirects')}
          notFound={say('noAddressFound')}
        >
          <RedirectTable
            redirects={found?.redirects ?? []}
            onAct={(redirect, what) => ask({ what, redirect })}
          />
          {found?.next != null && (
            <div>
              <Button onClick={() => void loadMore()}>{say('more')}</Button>
            </div>
          )}
        </Listing>
      </Frame>
      {question?.what === 'write' && (
        <RedirectDialog
          redirect={question.redirect}
          siteOrigin={siteOrigin}
          onClose={closed}
          onSaved={closed}
        />
      )}
      {question?.what === 'remove' && (
        <SubmitDialog
          say={say}
          title={say('removeRedirect', { from: question.redirect.from })}
          look="small"
          button={say('delete')}
          isDangerous
          onSubmit={async () => {
            await api.remove(question.redirect.id);
            closed();
            return undefined;
          }}
          reasonOf={(refused) => reasonOf(refused, say)}
          onClose={closed}
        >
          <p class="hint">{say('removeRedirectHint')}</p>
        </SubmitDialog>
      )}
    </div>
  );
}
