/** The filter as conditions, as text and as JSON. */
import { Alert, Button, Code, Stack, Tabs, Text } from '@mantine/core'
import type { Dispatch, SetStateAction } from 'react'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import { type View, views } from './address.ts'
import { Builder } from './builder/builder.tsx'
import { editJson, editText, editTree, type FilterDraft } from './filter/draft.ts'
import type { FilterField } from './filter/fields.ts'

/** What the views get. */
interface FilterViewsProps {
  readonly draft: FilterDraft
  readonly setDraft: Dispatch<SetStateAction<FilterDraft>>
  readonly fields: readonly FilterField[]
  readonly view: View
  readonly onView: (view: View) => void
  readonly onSubmit: () => void
}

const titles: Readonly<Record<View, string>> = { conditions: 'Conditions', text: 'Text', json: 'JSON' }
const viewOf: Readonly<Record<'text' | 'json' | 'builder', View>> = { text: 'text', json: 'json', builder: 'conditions' }

/** Says what cannot be read, in the view where it stands and in the others. */
function Problem({ draft: { problem }, view, onView }: Pick<FilterViewsProps, 'draft' | 'view' | 'onView'>) {
  if (problem === undefined) return null
  const where = viewOf[problem.view]
  return (
    <Alert color="red" variant="light" title="This filter cannot be read" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.sentence}</Text>
        {where !== view && (
          <Button size="compact-sm" variant="default" onClick={() => onView(where)}>
            Show {titles[where].toLowerCase()}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Shows the conditions, or why they cannot be shown. */
function Conditions({ draft, setDraft, fields, onView }: FilterViewsProps) {
  if ('reason' in draft.shown)
    return (
      <Alert color="blue" variant="light" title="The conditions cannot show this filter">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">The reason: {draft.shown.reason}. The filter works all the same: edit it as text.</Text>
          <Button size="compact-sm" variant="default" onClick={() => onView('text')}>
            Edit the text
          </Button>
        </Stack>
      </Alert>
    )
  return (
    <Stack gap="xs">
      <Builder root={draft.shown.root} fields={fields} onChange={(root) => setDraft((before) => editTree(before, root))} />
      {draft.incomplete > 0 && (
        <Text size="sm" role="status">
          {draft.incomplete === 1 ? 'One condition lacks' : `${draft.incomplete} conditions lack`} a field or a value, and is not part of
          the filter yet.
        </Text>
      )}
      {draft.text !== '' && draft.problem === undefined && (
        <Text size="sm">
          As text: <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{draft.text}</Code>
        </Text>
      )}
    </Stack>
  )
}

/** Shows the text. */
const FilterText = ({ draft, setDraft, onSubmit }: FilterViewsProps) => (
  <CodeEditor
    label="Filter as text"
    language="filter"
    value={draft.text}
    onChange={(text) => setDraft((before) => editText(before, text))}
    onSubmit={onSubmit}
    problems={draft.problem?.view === 'text' ? draft.problem.marks : []}
    hint={'title fuzzy "pricing" and started >= 2026-01-01'}
  />
)

/** Shows the JSON. */
const FilterJson = ({ draft, setDraft, onSubmit }: FilterViewsProps) => (
  <CodeEditor
    label="Filter as JSON"
    language="json"
    value={draft.json}
    onChange={(json) => setDraft((before) => editJson(before, json))}
    onSubmit={onSubmit}
    problems={draft.problem?.view === 'json' ? draft.problem.marks : []}
    hint={'{ "fuzzy": { "title": "pricing" } }'}
  />
)

const panels = { conditions: Conditions, text: FilterText, json: FilterJson } as const

/** Shows the views; an edit of one changes the other two. */
export function FilterViews(props: FilterViewsProps) {
  const { view, onView } = props
  const Panel = panels[view]
  return (
    <Stack gap="xs">
      <Tabs value={view} onChange={(chosen) => onView(views.find((each) => each === chosen) ?? 'conditions')}>
        <Tabs.List aria-label="Views of the filter">
          {views.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {titles[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {views.map((each) => (
          <Tabs.Panel key={each} value={each} pt="sm">
            {each === view && <Panel {...props} />}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Problem {...props} />
    </Stack>
  )
}
