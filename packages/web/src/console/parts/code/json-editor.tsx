/** An editor for JSON. Its code is loaded with its first use. */
import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { JsonEditorProps } from './json-editor-code.tsx'

const Loaded = lazy(async () => ({ default: (await import('./json-editor-code.tsx')).JsonEditorCode }))

/** Shows the editor. @see JsonEditorProps */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={160} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
