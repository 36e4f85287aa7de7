/** The command palette: type a few letters, go there. */
import { ActionIcon, Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import IconExternalLink from '@tabler/icons-react/icons/IconExternalLink'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useReadAll } from '../data/read-all.ts'
import { useKinds } from '../data/references.ts'
import { useGo } from '../data/tenant.ts'
import { pages } from '../pages.ts'
import { type FoundRecord, printTitle, type RecordGroup, RecordText, toRecordParams, useFoundRecords } from './palette-records.tsx'

/** Pages, connectors and kinds that are shown at once: alone, and above records. */
const [mostShown, mostBesideRecords] = [50, 6]

const pageDestinations: readonly Destination[] = pages
  .filter(({ group }) => group !== undefined)
  .map(({ path, title }) => ({ key: path, label: title, type: 'Page', path }))

/** Returns whether a page exists for a path of two parts. */
const hasPage = ({ path }: Destination): boolean => pages.some((page) => page.path.startsWith(`/${path.split('/')[1]}/:`))

/** Finds the destinations of what was typed. */
function useDestinations(typed: string, most: number): readonly Destination[] {
  const found = useFoundDestinations()
  return filterDestinations([...pageDestinations, ...found.filter(hasPage)], typed, most)
}

/** Moves a position by the keys of a list. @returns undefined for other keys */
function move(key: string, position: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: count - 1 }
  const next = steps[key]
  return next === undefined || count === 0 ? undefined : (next + count) % count
}

/** Something that can be opened: a destination, or a record that was found. */
type Choice = Destination | FoundRecord

/** What an option of the list gets. */
interface OptionProps {
  readonly id: string
  readonly isChosen: boolean
  readonly onOpen: () => void
}

/** Shows an option. The chosen one is in sight. */
function Option({ id, isChosen, onOpen, children }: OptionProps & { readonly children: ReactNode }) {
  const option = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <UnstyledButton ref={option} id={id} role="option" aria-selected={isChosen} tabIndex={-1} className="palette-option" onClick={onOpen}>
      {children}
    </UnstyledButton>
  )
}

/** Shows a record, and the way to the vendor. */
function RecordOption({ hit, ...option }: OptionProps & { readonly hit: FoundRecord }) {
  return (
    <div className="palette-record" role="presentation">
      <Option {...option}>
        <RecordText hit={hit} />
      </Option>
      {hit.link !== null && (
        <ActionIcon
          {...{ component: 'a', href: hit.link, target: '_blank', rel: 'noreferrer' }}
          {...{ role: 'option', 'aria-selected': false, tabIndex: -1 }}
          variant="subtle"
          size={36}
          aria-label={`Open ${printTitle(hit)} at the vendor`}
        >
          <IconExternalLink size={18} aria-hidden="true" />
        </ActionIcon>
      )}
    </div>
  )
}

/** Shows the records of an entity. */
function RecordOptions({ group, id, toOption }: Pick<ResultsProps, 'id' | 'toOption'> & { readonly group: RecordGroup }) {
  const name = `${id}-${group.key}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list of options has no fieldset
    <div role="group" aria-labelledby={name}>
      <Text id={name} size="xs" fw={600} c="dimmed" px="xs" pt="sm" pb={4} style={{ overflowWrap: 'anywhere' }}>
        {group.title}
      </Text>
      {group.hits.map((hit) => (
        <RecordOption key={hit.key} hit={hit} {...toOption(hit)} />
      ))}
    </div>
  )
}

/** Shows the results; the chosen one is the one that Enter opens. */
function Results({ id, shown, groups, toOption }: ResultsProps) {
  return (
    <ScrollArea.Autosize mah="min(60vh, 480px)" type="auto">
      <div role="listbox" id={id} aria-label="Results">
        {shown.map((each) => (
          <Option key={each.key} {...toOption(each)}>
            <Text size="sm">{each.label}</Text>
            <Text size="xs" c="dimmed">
              {each.type}
            </Text>
          </Option>
        ))}
        {groups.map((group) => (
          <RecordOptions key={group.key} group={group} id={id} toOption={toOption} />
        ))}
      </div>
    </ScrollArea.Autosize>
  )
}
interface ResultsProps {
  readonly id: string
  readonly shown: readonly Destination[]
  readonly groups: readonly RecordGroup[]
  readonly toOption: (choice: Choice) => OptionProps
}

/** Shows the field and its results. */
function PaletteField({ onGo }: { readonly onGo: () => void }) {
  const [typed, setTyped] = useState('')
  const [position, setPosition] = useState(0)
  const id = useId()
  const go = useGo()
  const { groups, says, isOld } = useFoundRecords(typed)
  const shown = useDestinations(typed, groups.length > 0 ? mostBesideRecords : mostShown)
  const choices: readonly Choice[] = [...shown, ...groups.flatMap(({ hits }) => hits)]
  const chosen = Math.min(position, choices.length - 1)
  const open = (choice: Choice) => {
    onGo()
    if (choice.path === undefined) go('/search', toRecordParams(choice))
    else go(choice.path)
  }
  const openRecord = (hit: FoundRecord, isAway: boolean) => {
    if (!isAway) open(hit)
    else if (hit.link !== null) window.open(hit.link, '_blank', 'noreferrer')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = move(event.key, chosen, choices.length)
    const choice = choices[chosen]
    if (next !== undefined) setPosition(next)
    else if (event.key !== 'Enter' || choice === undefined) return
    else if (choice.path !== undefined) open(choice)
    else if (!isOld) openRecord(choice, event.ctrlKey || event.metaKey)
    event.preventDefault()
  }
  const type = (text: string) => {
    setTyped(text)
    setPosition(0)
  }
  const toOption = (choice: Choice): OptionProps => {
    const at = choices.indexOf(choice)
    return { id: `${id}-${at}`, isChosen: at === chosen, onOpen: () => open(choice) }
  }
  return (
    <>
      <TextInput
        placeholder="A page, a connector, or words of a record"
        aria-label="Where to go"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${chosen}` : undefined}
        value={typed}
        onChange={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={onKeyDown}
        data-autofocus
        mb="sm"
      />
      {choices.length > 0 && <Results id={id} shown={shown} groups={groups} toOption={toOption} />}
      {choices.length === 0 && <Text p="sm">Nothing has this name. Try fewer letters.</Text>}
      <Text role="status" size="xs" c="dimmed" px="xs" pt="xs">
        {says}
      </Text>
      {typeof choices[chosen]?.link === 'string' && (
        <Text size="xs" c="dimmed" px="xs" pt={4} visibleFrom="sm">
          Enter opens the record here, Ctrl+Enter at the vendor.
        </Text>
      )}
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
  readonly link?: undefined
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
