/** An editor for a JSON object. */
import { Stack, Text } from '@mantine/core'
import { formatJson, isObject, tryReadJson } from 'ferrule/internal'
import { useState } from 'react'
import { CodeEditor } from './code-editor.tsx'

/** What the editor shows. */
export interface JsonEditorProps {
  /** Name of the editor, for readers of the screen. */
  readonly label: string
  readonly value: Readonly<Record<string, unknown>>
  /** Receives each text that is a JSON object. */
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void
  /** Called for Ctrl+Enter and Cmd+Enter. */
  readonly onSubmit?: () => void
}

/** Reads a text as a JSON object; undefined when it is no object. */
function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = text.trim() === '' ? {} : tryReadJson(text)
  return isObject(value) ? value : undefined
}

/** Shows the editor. The text stays as it was typed while it means the value. */
export function JsonEditor({ label, value, onChange, onSubmit }: JsonEditorProps) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly before: string }>()
  const printed = formatJson(value)
  const read = typed === undefined ? undefined : readObject(typed.text)
  // A text that is no object yet stays until the value is changed from elsewhere.
  const isCurrent = typed !== undefined && (read === undefined ? typed.before === printed : formatJson(read) === printed)
  const change = (text: string) => {
    setTyped({ text, before: printed })
    const next = readObject(text)
    if (next !== undefined) onChange(next)
  }
  return (
    <Stack gap={4}>
      <CodeEditor label={label} language="json" value={isCurrent ? typed.text : printed} onChange={change} onSubmit={onSubmit} />
      <Text size="xs" c={isCurrent && read === undefined ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {isCurrent && read === undefined
          ? 'This is not a JSON object yet: the last valid one is used.'
          : 'JSON object; every digit is kept.'}
      </Text>
    </Stack>
  )
}
