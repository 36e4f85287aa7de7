/** What the check of a kind file found, and what a version changes. */
import { Anchor, Group, List, Stack, Text, Title } from '@mantine/core'
import { kindChangeMeanings } from 'ferrule/internal'
import type { KindCheck } from 'ferrule/wire'
import { useId } from 'react'
import { type StateLook, StatePill } from '../../parts/states.tsx'

type Change = KindCheck['changes'][number]
/** A mistake, a doubt, or what a test found. */
export type Finding = KindCheck['mistakes'][number]

/** What a class of changes means for connectors that move. */
export const meanings = kindChangeMeanings

const looks: Readonly<Record<Change['class'], StateLook>> = {
  none: ['Nothing', 'gray'],
  text: ['Texts', 'gray'],
  calls: ['Calls', 'blue'],
  entities: ['New entity', 'green'],
  fields: ['Read again', 'yellow'],
  remade: ['Copy emptied', 'red'],
  authorize: ['Credentials again', 'red'],
}

/** Shows the weightiest class of changes. */
export const ClassPill = ({ is }: { readonly is: Change['class'] }) => <StatePill look={looks[is]} />

/** Lists changes, each with what it means. */
export function ChangeList({ changes, none }: { readonly changes: readonly Change[]; readonly none: string }) {
  if (changes.length === 0) return <Text size="sm">{none}</Text>
  return (
    <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Changes">
      {changes.map(({ class: is, entity, message }) => (
        <Group component="li" key={`${entity} ${message}`} gap="xs">
          <ClassPill is={is} />
          <Text size="sm">
            {entity !== null && <strong>{entity} </strong>}
            {message}: {meanings[is]}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

/** Names the hosts that credentials will be sent to, where they are new. */
export function NewHosts({ hosts, known }: { readonly hosts: readonly string[]; readonly known: readonly string[] }) {
  const fresh = hosts.filter((host) => !known.includes(host))
  if (fresh.length === 0) return null
  return (
    <Text size="sm">
      New hosts, which credentials are sent to: <strong>{fresh.join(', ')}</strong>
    </Text>
  )
}

interface FindingsProps {
  readonly title: string
  readonly findings: readonly Finding[]
  readonly goTo: (at: Finding) => void
}

/** Lists findings; a press on a place moves the cursor of the editor there. */
export function Findings({ title, findings, goTo }: FindingsProps) {
  const id = useId()
  if (findings.length === 0) return null
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title} ({findings.length})
      </Title>
      <List size="sm" spacing={4}>
        {findings.map((finding) => {
          const { file, line, column, path, message, near, example } = finding
          return (
            <List.Item key={`${file} ${line} ${column} ${path} ${message}`}>
              <Anchor component="button" type="button" size="sm" underline="always" onClick={() => goTo(finding)}>
                {file === 'kind' ? 'Line' : 'Recordings, line'} {line}, column {column}
              </Anchor>{' '}
              {path !== '' && <strong>{path}: </strong>}
              {message}
              {near === null ? '.' : `; did you mean ${near}?`}
              {example !== null && ` Example: ${example}`}
            </List.Item>
          )
        })}
      </List>
    </Stack>
  )
}
