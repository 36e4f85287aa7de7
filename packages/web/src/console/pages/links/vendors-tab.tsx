/** The operator's own applications at vendors, which their consent pages need. */
import { Alert, Stack, Text } from '@mantine/core'
import { connectPaths, type DefinitionRecord, type OAuthCredentialsRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useService } from '../../data/service.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { VendorSection } from './vendor-section.tsx'

/** Reads the kinds that have a consent page, whole. */
const useConsentKinds = () =>
  useRead(['definitions', 'consent'], async (ferrule, signal) => {
    const all = await ferrule.definitions.list({}, { signal })
    const whole = await Promise.all(all.map(({ connector_type: kind }) => ferrule.definitions.get(kind, { signal })))
    return whole.filter(({ credentials }) => credentials.some(({ application_fields: fields }) => fields.length > 0))
  })

/** Shows the section of each kind. */
function Sections({ kinds, stored }: { readonly kinds: readonly DefinitionRecord[]; readonly stored: readonly OAuthCredentialsRecord[] }) {
  const own = useService().data?.connect_url ?? undefined
  if (kinds.length === 0) return <EmptyState title="No kind needs one" says="No kind of this service has a consent page." />
  return kinds.map((kind) => {
    const slug = kind.definition.connector_type
    const application = stored.find(({ connector_type: each }) => each === slug)
    const callback = application?.redirect_uri ?? (own && `${own}${connectPaths.callback.replace('{kind}', slug)}`)
    return <VendorSection key={slug} kind={kind} application={application} callback={callback} />
  })
}

/** Shows the tab. */
export function VendorsTab() {
  const kinds = useConsentKinds()
  const stored = useRead(['oauth-credentials'], (ferrule, signal) => ferrule.oauthCredentials.list({ signal }))
  return (
    <Stack gap="lg">
      <Text size="sm">
        These vendors ask the owner of an account on a page of their own, and know an application of yours there. Register one at the vendor
        first. Without it, connect links offer the form of the kind only.
      </Text>
      <ReadingView reading={kinds}>
        {(found) => <ReadingView reading={stored}>{({ data }) => <Sections kinds={found} stored={data} />}</ReadingView>}
      </ReadingView>
      <Alert color="gray" variant="light">
        A connector refers to the application and has no copy of its secret: a new secret holds for all of its connectors.
      </Alert>
    </Stack>
  )
}
