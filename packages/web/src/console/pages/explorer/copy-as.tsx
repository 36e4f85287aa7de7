/** Shows a call as text that runs elsewhere. */
import { Button, Code, Group, Modal, Stack, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { basePath } from '../../data/page-facts.ts'
import { usePlace } from '../../data/place.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { hideSecrets, type Schema } from '../../parts/form/schema.ts'
import type { Chosen } from './address.ts'
import { type Snippet, type SnippetSource, snippets } from './snippets.ts'

/** Shows one text with what it needs. */
function SnippetView({ snippet, source }: { readonly snippet: Snippet; readonly source: SnippetSource }) {
  const text = snippet.print(source)
  return (
    <Stack gap="xs" pt="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">{snippet.needs}</Text>
        <CopyButton value={text} says={`Copy the text for ${snippet.name}`} />
      </Group>
      <Code block tabIndex={0} mah={420} aria-label={snippet.name}>
        {text}
      </Code>
    </Stack>
  )
}

/** Makes a key for a write. Pages without https lack `crypto.randomUUID`. */
const makeKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Shows the button and its dialog. */
export function CopyAs({ chosen, params }: { readonly chosen: Chosen; readonly params: Schema }) {
  const [opened, { open, close }] = useDisclosure(false)
  const [idempotencyKey, setKey] = useState('')
  const { organizationId } = usePlace()
  const { connector, entity, action } = chosen
  const source: SnippetSource = {
    ...{ url: `${location.origin}${basePath}`, organizationId, connector },
    ...{ entity: entity.entity, action: action.action, params: hideSecrets(action.params, params), idempotencyKey },
  }
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setKey(makeKey())
          open()
        }}
      >
        Copy as …
      </Button>
      <Modal opened={opened} onClose={close} title="Copy this call" size="xl">
        <Tabs defaultValue={snippets[0]?.name ?? ''} keepMounted={false}>
          <Tabs.List>
            {snippets.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippets.map((snippet) => (
            <Tabs.Panel key={snippet.name} value={snippet.name}>
              <SnippetView snippet={snippet} source={source} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Modal>
    </>
  )
}
