/** A way to authorize on the vendor's own page. */
import { beginConsent } from '../api.ts'
import { reportToOpener } from '../opener.ts'
import { Step } from '../parts/step.tsx'
import { type SentValues, ValuesForm } from '../parts/values-form.tsx'
import { type PageKind, type PageScheme, useConnecting } from '../view.ts'

/** Leads to the vendor's page. */
export function ConsentStep({ kind, scheme }: { readonly kind: PageKind; readonly scheme: PageScheme }) {
  const { page } = useConnecting()
  const send = async ({ configuration, name }: SentValues) => {
    const { consent_url: url } = await beginConsent({ kind: kind.slug, configuration, ...(name === undefined ? {} : { name }) })
    reportToOpener(page, 'leaving')
    location.assign(url)
    await new Promise(() => {}) // the button stays busy until the browser has left
  }
  return (
    <Step title={`Sign in at ${kind.title}`}>
      <ValuesForm
        kind={kind}
        scheme={scheme}
        action={`Continue to ${kind.title}`}
        progress={`Opening the page of ${kind.title} …`}
        onSend={send}
      >
        <p>The next page belongs to {kind.title}. Sign in there and agree, in this window. Then you come back here.</p>
        {scheme.who !== null && <p className="note">{scheme.who}</p>}
      </ValuesForm>
    </Step>
  )
}
