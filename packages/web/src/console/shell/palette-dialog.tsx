/** The command palette: type a few letters, go there. */
import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useId, useState } from 'react'
import { type Destination, filterDestinations, useFoundDestinations } from '../data/palette.ts'
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
