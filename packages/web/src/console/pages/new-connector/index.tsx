/** Creates a connector: the kind first, then a form from its schema. */
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { DefinitionSummary } from 'ferrule/wire'
import { useKind } from '../../data/connector.ts'
import { useAddressParams } from '../../data/params.ts'
import { useKinds } from '../../data/references.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { ConnectorForm } from './connector-form.tsx'

/** Shows one kind. */
const KindCard = ({ kind }: { readonly kind: DefinitionSummary }) => (
  <Paper component="li" withBorder p="md">
    <PageLink to="/connectors/new" params={{ kind: kind.connector_type }} fw={600}>
      {kind.name}
    </PageLink>
    <Text size="sm">{kind.description}</Text>
  </Paper>
)

/** Shows the kinds of the service. */
function KindChoice() {
  const reading = useKinds()
  return (
    <Stack component="section" gap="sm" aria-labelledby="kinds">
      <Title order={2} size="h3" id="kinds">
        What do you connect?
      </Title>
      <ReadingView reading={reading}>
        {(kinds) => (
          <SimpleGrid component="ul" cols={{ base: 1, sm: 2 }} p={0} m={0} style={{ listStyle: 'none' }}>
            {kinds.map((kind) => (
              <KindCard key={kind.connector_type} kind={kind} />
            ))}
          </SimpleGrid>
        )}
      </ReadingView>
    </Stack>
  )
}

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
