/** The last screens: connected, or not now. */
import type { ConnectDone } from 'ferrule/wire'
import { Action, Actions, Step } from '../parts/step.tsx'
import { useConnecting } from '../view.ts'

/** Leads back to the page that sent the end user, or says that nothing is left to do. */
function Leaving({ url, isMain }: { readonly url: string | null; readonly isMain: boolean }) {
  if (url === null) return <p>You can close this window.</p>
  return (
    <Actions>
      <a className={isMain ? 'action main' : 'action'} href={url}>
        Return to {new URL(url).host}
      </a>
    </Actions>
  )
}

/** Says that it worked. */
export function DoneStep({ done }: { readonly done: ConnectDone }) {
  const { page } = useConnecting()
  const { connector, kinds, attempt, organization_name: organization } = page
  const kind = kinds.length === 1 ? kinds[0] : kinds.find(({ slug }) => slug === attempt?.kind)
  return (
    <Step title={connector === null ? `${kind?.title ?? 'Your account'} is connected` : `${connector.name} works again`}>
      <p className="good">
        {connector === null ? `${organization} can read it from now on.` : `${organization} can read it again, with the new credentials.`}
      </p>
      {page.allowed_origin !== null && <p>You can close this window: the page that opened it knows.</p>}
      {(page.allowed_origin === null || done.return_url !== null) && (
        <Leaving url={done.return_url} isMain={page.allowed_origin === null} />
      )}
    </Step>
  )
}

/** Says that nothing was connected. */
export function DeclinedStep() {
  const { page, go } = useConnecting()
  return (
    <Step title="Nothing was connected">
      <p>You can close this window. The link stays usable, should you change your mind.</p>
      <Leaving url={page.cancel_url} isMain />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Go back</Action>
      </Actions>
    </Step>
  )
}
