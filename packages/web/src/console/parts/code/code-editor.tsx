/** An editor for code. It holds CodeMirror, so only what is loaded with its first use may import it. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { type Extension, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type RefObject, useEffect, useRef } from 'react'
import { styleNonce } from '../../data/page-facts.ts'

/** What the editor shows. */
export interface CodeEditorProps {
  /** Name of the editor, for readers of the screen. */
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
  /** The language and its checks. They are read once. */
  readonly extensions: readonly Extension[]
  /** Called for Ctrl+Enter and Cmd+Enter. */
  readonly onSubmit?: () => void
}

/** Colors with enough contrast on both backgrounds. */
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'light-dark(#7a1fa2, #e5a3ff)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#1b6b2f, #8ce99a)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#0b4f9e, #91c8ff)' },
  { tag: [tags.propertyName], color: 'light-dark(#8a2c0d, #ffc078)' },
  { tag: [tags.comment], color: 'light-dark(#5c6370, #b0b6c0)' },
])

const look = EditorView.theme({
  '&': {
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    fontSize: 'var(--mantine-font-size-sm)',
    minHeight: '8rem',
    maxHeight: '28rem',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', minHeight: '8rem', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
})

/** What every editor has. Tab leaves the editor, so that the keyboard is not caught in it. */
const common: readonly Extension[] = [
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  indentOnInput(),
  syntaxHighlighting(highlight),
  EditorView.lineWrapping,
  EditorView.cspNonce.of(styleNonce),
  look,
  keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
]

/** Makes the editor below an element, and keeps its text as the caller has it. */
function useEditor(host: RefObject<HTMLDivElement | null>, props: CodeEditorProps): void {
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const { label, text, extensions } = latest.current
    const submit = () => {
      latest.current.onSubmit?.()
      return latest.current.onSubmit !== undefined
    }
    view.current = new EditorView({
      doc: text,
      extensions: [
        ...common,
        ...extensions,
        Prec.high(keymap.of([{ key: 'Mod-Enter', run: submit }])),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) latest.current.onChange(state.doc.toString())
        }),
      ],
      ...(host.current === null ? {} : { parent: host.current }),
    })
    return () => view.current?.destroy()
  }, [host])
  useEffect(() => {
    const { current } = view
    if (current === null || current.state.doc.toString() === props.text) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: props.text } })
  }, [props.text])
}

/** Shows the editor. */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  useEditor(host, props)
  return <div ref={host} />
}
