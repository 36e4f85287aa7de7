/** Shows what a field means, and where the vendor shows its value. */
import { Anchor, Text, VisuallyHidden } from '@mantine/core'
import { isObject } from 'ferrule/internal'
import type { ReactNode } from 'react'
import type { Schema } from './schema.ts'

const readText = (schema: Schema, name: string): string | undefined => {
  const value = schema[name]
  return typeof value === 'string' ? value : undefined
}

/** Shows, to who asks, where people find a value: a sentence, the menu of the vendor, the role they need, and the vendor's page. */
export function Finding({ schema, label }: { readonly schema: Schema; readonly label: string }) {
  const find = schema['x-find']
  if (!isObject(find)) return null
  const [menu, role, url] = [readText(find, 'menu'), readText(find, 'role'), readText(find, 'url')]
  return (
    <details className="finding">
      <summary>
        Where to find it<VisuallyHidden>: {label}</VisuallyHidden>
      </summary>
      <div>
        {readText(find, 'says')}
        {menu !== undefined && (
          <>
            {' '}
            <strong>{menu}</strong>.
          </>
        )}
        {role !== undefined && ` Needs the role: ${role}.`}
        {url?.startsWith('https://') === true && (
          <>
            {' '}
            <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
              Open the vendor's page
              <VisuallyHidden>, in a new tab</VisuallyHidden>
            </Anchor>
          </>
        )}
      </div>
    </details>
  )
}

/** Adds a sentence about how a value is entered to the help of a field. */
export const addHelp = (help: ReactNode, sentence: string): ReactNode => (
  <>
    {help}
    {help !== undefined && ' · '}
    {sentence}
  </>
)

/** Returns the help of a field, with its default; undefined when its schema says nothing. */
export function readHelp(schema: Schema): ReactNode {
  const description = readText(schema, 'description')
  const { default: usual } = schema
  return usual === undefined ? description : addHelp(description, `Default: ${String(usual)}`)
}

/** Shows the title of a field, with its name beside where that is another word. */
export const FieldLabel = ({ label, name = '' }: { readonly label: string; readonly name?: string | undefined }) => (
  <>
    {label}{' '}
    {name.toLowerCase() !== label.toLowerCase() && (
      <Text span size="xs" c="dimmed" fw={400} className="mono">
        {name}
      </Text>
    )}
  </>
)
