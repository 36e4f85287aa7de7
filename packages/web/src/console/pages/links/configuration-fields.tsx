/** Configuration values that a connect link brings along. */
import { Accordion, Fieldset, Stack, Text } from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { useKind } from '../../data/connector.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import type { useLinkDraft } from './link-draft.ts'

/** What the fields get. */
interface ConfigurationProps extends ReturnType<typeof useLinkDraft> {
  readonly problems: readonly Problem[]
}

/** The two ways to bring a value along. */
const ways = [
  { member: 'defaults', legend: 'Filled in', says: 'The end user can change these values.' },
  { member: 'locked', legend: 'Locked', says: 'The end user sees these values and cannot change them.' },
] as const

/** Shows the two forms of a kind. Nothing is required: the end user enters the rest. */
function KindForms({ schema, kind, entered, set, problems }: ConfigurationProps & { readonly schema: Schema; readonly kind: string }) {
  const { required: _required, ...partial } = schema
  if (readProperties(schema).length === 0) return <Text size="sm">This kind has nothing to configure.</Text>
  return (
    <Stack>
      {ways.map(({ member, legend, says }) => (
        <Fieldset key={member} legend={legend}>
          <Text size="sm" mb="sm">
            {says}
          </Text>
          <SchemaForm
            schema={partial}
            value={entered[member][kind] ?? {}}
            onChange={(value) => set({ [member]: { ...entered[member], [kind]: value } })}
            at={`/${member}/${kind}`}
            problems={problems}
          />
        </Fieldset>
      ))}
    </Stack>
  )
}

/** Shows one kind, folded. */
function KindItem({ kind, ...props }: ConfigurationProps & { readonly kind: string }) {
  const reading = useKind(kind)
  return (
    <Accordion.Item value={kind}>
      <Accordion.Control>Configuration of {reading.data?.definition.name ?? kind}</Accordion.Control>
      <Accordion.Panel>
        <ReadingView reading={reading}>
          {({ configuration }) => <KindForms {...props} kind={kind} schema={configuration as Schema} />}
        </ReadingView>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

/** Shows the chosen kinds. */
export function ConfigurationFields(props: ConfigurationProps) {
  const { kinds } = props.entered
  if (kinds.length === 0) return <Text size="sm">Choose kinds to fill in or lock values of their configuration.</Text>
  return (
    <Accordion variant="contained" multiple>
      {kinds.map((kind) => (
        <KindItem key={kind} kind={kind} {...props} />
      ))}
    </Accordion>
  )
}
