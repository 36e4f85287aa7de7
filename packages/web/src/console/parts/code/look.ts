/** The look of the editor, in the colors of the console: they follow the scheme by themselves. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

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

export const look: Extension = [frame, syntaxHighlighting(colors)]
