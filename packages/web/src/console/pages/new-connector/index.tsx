/** Creates a connector: the kind first, then a form from its schema. */
import { Stack, Text } from '@mantine/core'
import { useKind } from '../../data/connector.ts'
import { useAddressParams } from '../../data/params.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { KindChoice } from './kind-choice.tsx'

/** Shows the form of the chosen kind. */
function FormOfKind({ kind: slug }: { readonly kind: string }) {
  const reading = useKind(slug)
  return <ReadingView reading={reading}>{(kind) => <ConnectorForm key={kind.id} kind={kind} />}</ReadingView>
}

/** The page; the address has the kind. */
export function Page() {
  const [{ kind }] = useAddressParams('kind')
  return (
    <Stack gap="sm" maw={720}>
      <PageLink to="/connectors" size="sm">
        All connectors
      </PageLink>
      <PageHeader title="New connector" about="A connector reads and writes one account of a vendor." />
      {kind === undefined ? <KindChoice /> : <FormOfKind kind={kind} />}
      <Text size="sm">
        Somebody else has the account?{' '}
        <PageLink to="/links" params={{ new: '1', kind }} inherit underline="always">
          Create a connect link
        </PageLink>
        , and they authorize it themselves: nobody here sees the secret.
      </Text>
    </Stack>
  )
}
