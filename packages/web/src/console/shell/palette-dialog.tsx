/** The command palette: type a few letters, go there. */
import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { useReadAll } from '../data/read-all.ts'
import { useKinds } from '../data/references.ts'
import { useGo } from '../data/tenant.ts'
import { pages } from '../pages.ts'

/** Results that are shown at once. */
const mostShown = 50

const pageDestinations: readonly Destination[] = pages
  .filter(({ group }) => group !== undefined)
  .map(({ path, title }) => ({ key: path, label: title, type: 'Page', path }))

/** Returns whether a page exists for a path of two parts. */
const hasPage = ({ path }: Destination): boolean => pages.some((page) => page.path.startsWith(`/${path.split('/')[1]}/:`))

/** Finds the destinations of what was typed. */
function useDestinations(typed: string): readonly Destination[] {
  const found = useFoundDestinations()
  return filterDestinations([...pageDestinations, ...found.filter(hasPage)], typed, mostShown)
}

/** Moves a position by the keys of a list. @returns undefined for other keys */
function move(key: string, position: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: count - 1 }
  const next = steps[key]
  return next === undefined || count === 0 ? undefined : (next + count) % count
}

/** Shows the results; the chosen one is the one that Enter opens. */
function Results({ id, shown, chosen, open }: ResultsProps) {
  if (shown.length === 0) return <Text p="sm">Nothing has this name. Try fewer letters.</Text>
  return (
    <ScrollArea.Autosize mah={360} type="auto">
      <div role="listbox" id={id} aria-label="Results">
        {shown.map((each, index) => (
          <UnstyledButton
            key={each.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className="palette-option"
            onClick={() => open(each)}
          >
            <Text size="sm">{each.label}</Text>
            <Text size="xs" c="dimmed">
              {each.type}
            </Text>
          </UnstyledButton>
        ))}
      </div>
    </ScrollArea.Autosize>
  )
}
interface ResultsProps {
  readonly id: string
  readonly shown: readonly Destination[]
  readonly chosen: number
  readonly open: (destination: Destination) => void
}

/** Shows the field and its results. */
function PaletteField({ onGo }: { readonly onGo: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const go = useGo()
  const shown = useDestinations(typed)
  const open = ({ path }: Destination) => {
    onGo()
    go(path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = move(event.key, chosen, shown.length)
    const destination = shown[chosen]
    if (next !== undefined) setChosen(next)
    else if (event.key === 'Enter' && destination !== undefined) open(destination)
    else return
    event.preventDefault()
  }
  const type = (text: string) => {
    setTyped(text)
    setChosen(0)
  }
  return (
    <>
      <TextInput
        placeholder="A page, a connector or a kind"
        aria-label="Where to go"
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
        value={typed}
        onChange={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={onKeyDown}
        data-autofocus
        mb="sm"
      />
      <Results id={id} shown={shown} chosen={chosen} open={open} />
    </>
  )
}

/** Shows the palette. Loaded with its first use. */
export function PaletteDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  // The page that opens takes the focus; without a choice it returns to where it was.
  const [hasGone, setGone] = useState(false)
  const go = () => {
    setGone(true)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Go to"
      size="lg"
      yOffset="10vh"
      returnFocus={!hasGone}
      onEnterTransitionEnd={() => setGone(false)}
    >
      <PaletteField onGo={go} />
    </Modal>
  )
}

/** Something that the palette leads to. */
interface Destination {
  /** Unique. */
  readonly key: string
  readonly label: string
  /** What it is, such as `Page`. */
  readonly type: string
  /** Path below `/console`. */
  readonly path: string
}

/** Connectors of a page of the list. */
const pageSize = 100

/** Reads the connectors of the organization and the kinds of the service. What has not arrived is missing. */
function useFoundDestinations(): readonly Destination[] {
  const connectors = useReadAll(['palette', 'connectors'], (ferrule, from, signal) =>
    ferrule.connectors.page(from ?? { limit: pageSize }, { signal }),
  )
  const kinds = useKinds()
  return [
    ...(connectors.data?.rows ?? []).map(({ id, name, workspace_name, summarized_source_template: { name: kind } }) => ({
      key: id,
      label: name,
      type: `${kind} in ${workspace_name}`,
      path: `/connectors/${id}`,
    })),
    ...(kinds.data ?? []).map(({ connector_type: slug, name }) => ({ key: slug, label: name, type: 'Kind', path: `/kinds/${slug}` })),
  ]
}

/** Returns the destinations whose words begin with each typed word, the first ones. */
function filterDestinations(all: readonly Destination[], typed: string, most: number): readonly Destination[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label, type }: Destination) => {
    const text = `${label} ${type}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  return all.filter(fits).slice(0, most)
}
