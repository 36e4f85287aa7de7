/** Shows a value as JSON that folds; every digit of a number is kept. */
import { Code } from '@mantine/core'
import { isObject, writeJson } from 'ferrule/internal'
import { useState } from 'react'
import { PlainButton } from '../looks.tsx'
import { printCounted } from '../print.ts'
import classes from './json-view.module.css'

/** Members that are drawn at first, and with each click more. */
const membersAtOnce = 100
/** Characters of a text that are shown before it is unfolded. */
const textCharacters = 300

/** Reads the members of a value; undefined: the value has none, it is a text, a number or so. */
function readMembers(value: unknown): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((each, index) => [String(index), each])
  return isObject(value) ? Object.entries(value) : undefined
}

const countMembers = (value: unknown, count: number): string =>
  Array.isArray(value) ? `[${printCounted(count, 'item')}]` : `{${printCounted(count, 'field')}}`

/** Shows a text, a number, a boolean or null. */
function Leaf({ value }: { readonly value: unknown }) {
  const [isWhole, setIsWhole] = useState(false)
  const text = value === undefined ? '' : writeJson(value)
  const isCut = text.length > textCharacters && !isWhole
  return (
    <>
      <span className={classes[typeof value] ?? classes['other']}>{isCut ? `${text.slice(0, textCharacters)}…` : text}</span>
      {isCut && (
        <PlainButton size="compact-xs" ml="xs" onClick={() => setIsWhole(true)}>
          Show all {text.length} characters
        </PlainButton>
      )}
    </>
  )
}

/** Shows the members of an object or a list, the first ones at first. */
function Members({ members, depth }: { readonly members: readonly (readonly [string, unknown])[]; readonly depth: number }) {
  const [count, setCount] = useState(membersAtOnce)
  const left = members.length - count
  return (
    <ul className={classes['members']}>
      {members.slice(0, count).map(([name, value]) => (
        <li key={name}>
          <Node name={name} value={value} depth={depth} />
        </li>
      ))}
      {left > 0 && (
        <li>
          <PlainButton size="compact-xs" onClick={() => setCount(count + membersAtOnce)}>
            Show {Math.min(left, membersAtOnce)} more of {left}
          </PlainButton>
        </li>
      )}
    </ul>
  )
}

/** Shows one value with its name. What is folded is not drawn. */
function Node({ name, value, depth }: { readonly name: string | undefined; readonly value: unknown; readonly depth: number }) {
  const [isOpen, setIsOpen] = useState(depth > 0)
  const members = readMembers(value)
  const label = name !== undefined && <span className={classes['name']}>{name}: </span>
  if (members === undefined || members.length === 0)
    return (
      <div className={classes['leaf']}>
        {label}
        {members === undefined ? <Leaf value={value} /> : Array.isArray(value) ? '[]' : '{}'}
      </div>
    )
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {label}
        <span className={classes['count']}>{countMembers(value, members.length)}</span>
      </summary>
      {isOpen && <Members members={members} depth={depth - 1} />}
    </details>
  )
}

/** Shows a value. @param props `depth`: levels that are unfolded at first; `label`: its name, for readers of the screen */
export function JsonView({ value, label, depth = 2 }: { readonly value: unknown; readonly label: string; readonly depth?: number }) {
  return (
    <Code block component="section" aria-label={label} className={classes['view']}>
      <Node name={undefined} value={value} depth={depth} />
    </Code>
  )
}
