/** A way to authorize with values that the end user types. */
import { authorize } from '../api.ts'
import { listFields } from '../parts/fields.ts'
import { Step } from '../parts/step.tsx'
import { type SentValues, ValuesForm } from '../parts/values-form.tsx'
import { PageProblem, toProblem } from '../problem.ts'
import { type PageKind, type PageScheme, useConnecting } from '../view.ts'

/** Names the values that led to nothing: the check asks for no record of the end user's, so its address was wrong. */
function toSettingsProblem(thrown: unknown, kind: PageKind, scheme: PageScheme): PageProblem {
  const problem = toProblem(thrown)
  if (problem.code !== 'record_not_found') return problem
  const settings = listFields(kind, scheme).first.filter(({ group }) => group === 'configuration')
  const labels = settings.map(({ label }) => label.toLowerCase()).join(', ')
  const { vendorSays, requestId } = problem
  return new PageProblem({
    ...{ code: 'record_not_found', message: `${kind.title} knows nothing at this address.` },
    hint: labels === '' ? problem.hint : `Check what you typed: ${labels}. Nothing was stored.`,
    ...(vendorSays === undefined ? {} : { upstream: { message: vendorSays } }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  })
}

/** Asks for credentials and configuration, and has them checked. */
export function FormStep({ kind, scheme }: { readonly kind: PageKind; readonly scheme: PageScheme }) {
  const { page, finish } = useConnecting()
  const send = async (values: SentValues) =>
    finish(
      await authorize({ kind: kind.slug, ...values }).catch((thrown) => {
        throw toSettingsProblem(thrown, kind, scheme)
      }),
    )
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
