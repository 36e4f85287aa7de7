/** Counts connectors by their condition; each count leads to its list. */
import { Group, Paper, Text } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import { PageLink } from '../page-link.tsx'
import { printCount } from '../print.ts'
import { conditionNames, conditions, findCondition } from './conditions.ts'

/** Shows the counts. @param props `isWhole`: false when more connectors exist than were counted */
export function ConditionLinks({ connectors, isWhole }: { readonly connectors: readonly ConnectorOverview[]; readonly isWhole: boolean }) {
  const found = Map.groupBy(connectors, findCondition)
  return (
    <Group gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Connectors by condition">
      {conditionNames.map((name) => {
        const count = found.get(name)?.length ?? 0
        if (count === 0) return null
        const { title, color } = conditions[name]
        return (
          <Paper key={name} component="li" withBorder p="sm" miw={150} style={{ borderLeft: `4px solid var(--mantine-color-${color}-6)` }}>
            <Text fz={28} fw={700} lh={1.1}>
              {printCount(count)}
              {isWhole ? '' : '+'}
            </Text>
            <PageLink to="/connectors" params={{ state: name }} size="sm">
              {title}
            </PageLink>
          </Paper>
        )
      })}
    </Group>
  )
}
