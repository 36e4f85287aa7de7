/** The editor itself. Load it by `CodeEditor`: it is large. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { Annotation, Compartment, EditorState, type Extension, StateEffect, type Text } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder, type ViewUpdate } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type RefObject, useEffect, useRef } from 'react'
import { styleNonce } from '../../data/page-facts.ts'
import { languages } from './languages.ts'
import type { CodeEditorProps, EditorProblem } from './props.ts'

/** Prints a color for each scheme. */
const either = (light: string, dark: string): string => `light-dark(var(--mantine-color-${light}), var(--mantine-color-${dark}))`

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.operator], color: either('grape-9', 'grape-3') },
  { tag: [tags.string, tags.special(tags.string)], color: either('teal-9', 'teal-3') },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#8a2c0d, var(--mantine-color-orange-3))' },
  { tag: [tags.propertyName, tags.typeName, tags.standard(tags.name)], color: either('blue-9', 'blue-3') },
  { tag: tags.comment, color: either('gray-7', 'dark-1'), fontStyle: 'italic' },
])

const frame = EditorView.theme({
  '&': {
    color: 'var(--mantine-color-text)',
    backgroundColor: either('white', 'dark-6'),
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    fontSize: 'var(--mantine-font-size-sm)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '50vh', borderRadius: 'inherit' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', minHeight: '4.5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: either('indigo-1', 'indigo-9'),
  },
  '.cm-tooltip': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
  },
})

const look: Extension = [frame, syntaxHighlighting(colors)]

/** Finds the range of a problem: from its column to the end of its word. */
function findRange(text: Text, { line, column }: EditorProblem): { readonly from: number; readonly to: number } {
  const { from, to, text: content } = text.line(Math.min(Math.max(line, 1), text.lines))
  const at = Math.min(from + column - 1, to)
  const [word = ''] = /^(?:\w+|\S)/.exec(content.slice(at - from)) ?? []
  return { from: word === '' && at > from ? at - 1 : at, to: at + word.length }
}

const toDiagnostics = (text: Text, problems: readonly EditorProblem[]): Diagnostic[] =>
  problems.map((problem) => ({
    ...findRange(text, problem),
    severity: problem.isDoubt === true ? 'warning' : 'error',
    message: problem.message,
  }))

const problemsChange = StateEffect.define<null>()
const needsRefresh = ({ transactions }: ViewUpdate): boolean =>
  transactions.some(({ effects }) => effects.some((effect) => effect.is(problemsChange)))

/** What the editor reads at the time of an event. */
interface Latest {
  props: CodeEditorProps
  /** Texts that were reported and have not come back as the value: later texts follow them. */
  reported: readonly string[]
}

/** Reports a text that the reader typed. */
function report(latest: Latest, text: string): void {
  latest.reported = [...latest.reported, text]
  latest.props.onChange?.(text)
}

/**
 * Empties a selection before a key types over it. Chromium would write `style` attributes to join the lines around the selection, and the
 * policy of the page forbids them. Quotes and brackets are left alone: they go around the selection.
 */
const emptySelection = EditorView.domEventHandlers({
  keydown: ({ key, ctrlKey, metaKey, altKey }, view) => {
    const isTyped = /^[^"'`([{]$/u.test(key) && !ctrlKey && !metaKey && !altKey
    if (isTyped && !view.state.selection.main.empty)
      view.dispatch(view.state.replaceSelection(''), { userEvent: 'input.type', scrollIntoView: true })
    return false
  },
})

/** Builds what never changes while the editor lives. */
function buildExtensions({ label, hint }: CodeEditorProps, latest: Latest): Extension {
  const submit = () => {
    latest.props.onSubmit?.()
    return latest.props.onSubmit !== undefined
  }
  return [
    EditorView.cspNonce.of(styleNonce),
    keymap.of([{ key: 'Mod-Enter', run: submit }]),
    [lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), indentOnInput(), autocompletion(), lintGutter()],
    linter(({ state }) => toDiagnostics(state.doc, latest.props.problems ?? []), { needsRefresh }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    [EditorView.lineWrapping, look, emptySelection],
    // Without an index axe takes a text that scrolls for one that no key reaches.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    hint === undefined ? [] : placeholder(hint),
    EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      if (docChanged && !transactions.some((each) => each.annotation(given) === true)) report(latest, state.doc.toString())
    }),
  ]
}

/** Marks changes that come from the value, which are not reported. */
const given = Annotation.define<boolean>()

/** Takes a value. One that was reported changes nothing: the reader may have typed more since. */
function takeValue(view: EditorView, latest: Latest, value: string): void {
  const index = latest.reported.indexOf(value)
  latest.reported = index < 0 ? [] : latest.reported.slice(index + 1)
  const { doc } = view.state
  if (index >= 0 || doc.toString() === value) return
  view.dispatch({ changes: { from: 0, to: doc.length, insert: value }, annotations: given.of(true) })
}

/** Makes the editor in an element when the component appears, and loads its language. */
function useView(parent: RefObject<HTMLDivElement | null>, latest: RefObject<Latest>): RefObject<EditorView | null> {
  const view = useRef<EditorView | null>(null)
  useEffect(() => {
    if (parent.current === null) return
    const language = new Compartment()
    const first = latest.current.props
    const extensions = [buildExtensions(first, latest.current), language.of([])]
    const made = new EditorView({ parent: parent.current, state: EditorState.create({ doc: first.value, extensions }) })
    view.current = made
    const load = languages[first.language]()
    load.then((loaded) => view.current === made && made.dispatch({ effects: language.reconfigure(loaded) })).catch(() => undefined)
    return () => {
      view.current = null
      made.destroy()
    }
  }, [parent, latest])
  return view
}

/** Moves the cursor to a place, and the focus with it. */
function goTo(view: EditorView, { line, column }: Pick<EditorProblem, 'line' | 'column'>): void {
  const { from, to } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  view.dispatch({ selection: { anchor: Math.min(from + column - 1, to) }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
}

/** Shows the editor. */
export function Editor(props: CodeEditorProps) {
  const { value, place, problems = [] } = props
  const parent = useRef<HTMLDivElement>(null)
  const latest = useRef<Latest>({ props, reported: [] })
  latest.current.props = props
  const view = useView(parent, latest)
  useEffect(() => {
    if (view.current !== null) takeValue(view.current, latest.current, value)
  }, [value, view])
  useEffect(() => {
    if (view.current !== null && place !== undefined) goTo(view.current, place)
  }, [place, view])
  const shown = JSON.stringify(problems)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other problems are shown at once, not after the next change of the text
  useEffect(() => {
    view.current?.dispatch({ effects: problemsChange.of(null) })
    if (view.current !== null) forceLinting(view.current)
  }, [shown, view])
  return <div ref={parent} />
}
