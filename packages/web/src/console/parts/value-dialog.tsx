/** Shows a value in a dialog. */
import { Code, Group, Modal, Stack } from '@mantine/core'
import { formatJson } from 'ferrule/internal'
import { CopyButton } from './copy-button.tsx'
import { JsonView } from './json/json-view.tsx'

/** A value with its name. */
export interface NamedValue {
  readonly title: string
  readonly value: unknown
}

/** Shows the value: a text as it is, anything else as JSON. @param props `shown`: undefined closes the dialog */
export function ValueDialog({ shown, onClose }: { readonly shown: NamedValue | undefined; readonly onClose: () => void }) {
  const value = shown?.value
  const text = typeof value === 'string' ? value : formatJson(value)
  return (
    <Modal opened={shown !== undefined} onClose={onClose} title={shown?.title} size="xl">
      <Stack>
        <Group justify="flex-end">
          <CopyButton value={text} says="Copy the value" />
        </Group>
        {typeof value === 'string' ? (
          <Code block tabIndex={0} mah={480}>
            {value}
          </Code>
        ) : (
          <JsonView value={value} label={shown?.title ?? 'Value'} />
        )}
      </Stack>
    </Modal>
  )
}
