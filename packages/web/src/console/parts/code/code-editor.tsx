/** An editor for code: it is loaded with its first use. */
import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './props.ts'

const LazyEditor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }))

/** Shows the editor, and its shape until it is loaded. Tab leaves it: no key is kept from the keyboard's reader. */
export const CodeEditor = (props: CodeEditorProps) => (
  <Suspense fallback={<Skeleton height={64} role="status" aria-label={`Loading ${props.label}`} />}>
    <LazyEditor {...props} />
  </Suspense>
)
