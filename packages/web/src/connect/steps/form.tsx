/** A way to authorize with values that the end user types. */
import { authorize } from '../api.ts'
import { Step } from '../parts/step.tsx'
import { type SentValues, ValuesForm } from '../parts/values-form.tsx'
import { type PageKind, type PageScheme, useConnecting } from '../view.ts'

/** Asks for credentials and configuration, and has them checked. */
export function FormStep({ kind, scheme }: { readonly kind: PageKind; readonly scheme: PageScheme }) {
  const { page, finish } = useConnecting()
  const send = async (values: SentValues) => finish(await authorize({ kind: kind.slug, ...values }))
  const { connector } = page
  const title = connector === null ? `Connect ${kind.title}` : `Replace the credentials of ${connector.name}`
  return (
    <Step title={title}>
      {kind.schemes.length > 1 && <p className="soft">{scheme.title}</p>}
      <ValuesForm
        kind={kind}
        scheme={scheme}
        action={connector === null ? 'Check and connect' : 'Check and replace'}
        progress={`Checking the credentials at ${kind.title} …`}
        onSend={send}
      />
    </Step>
  )
}
