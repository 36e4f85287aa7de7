/** Chooses the kind of a new connector. */
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { DefinitionSummary } from 'ferrule/wire'
import { useKinds } from '../../data/references.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'

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
export function KindChoice() {
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
