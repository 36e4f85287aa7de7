/** Says what a text of a vendor is, by its name and its form: a secret, the name of a person, an address, prose. Pure. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import { uuid } from '../values/texts.ts'
import { credentialForms, mailAddress } from './leaks.ts'

/** What is replaced. */
export type Sort = 'token' | 'mail address' | 'name' | 'address' | 'text' | 'link' | 'machine' | 'id' | 'configuration'

const words = (...names: readonly string[]): RegExp => new RegExp(`(?:^|_)(?:${names.join('|')})s?\\d?(?:_|$)`)

/** Sorts by words of names, written as `first_name`. The first that fits counts. */
const named: readonly (readonly [Sort, RegExp])[] = [
  [
    'token',
    words(
      'token|secret|password|passwd|passphrase|pwd|api_?key|access_?key|private_?key|secret_?key|signing_?key',
      'authorization|cookie|session|signature|sig|credential|jwt|otp|pin|csrf|auth|iban|ssn',
    ),
  ],
  ['address', words('addresse?|street|line_?\\d|city|citie|town|zip|postal|postcode|county|province', 'lat|lng|latitude|longitude')],
  [
    'name',
    words(
      'name|firstname|lastname|fullname|login|user|username|nick|nickname|handle|owner|author|creator',
      'assignee|reporter|sender|recipient|contact|person|company|companie|organi[sz]ation',
      'initial|given|family|fname|lname|surname|forename|phone|telephone|mobile|fax|tel',
    ),
  ],
  [
    'text',
    words('text|title|subject|body|content|description|summary|note|comment|message|bio|headline|label', 'value|question|answer|reason'),
  ],
]

const toSnake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')

/** Names of values that say nothing of a person, whatever holds them. */
const plain = /(?:^|_)(?:id|type|object|kind|state|status|url|href|at|date)$/

/** Finds what a member is: its own name says it, else what holds it. */
export function sortOfMember(name: string, holder: Sort | undefined): Sort | undefined {
  const own = named.find(([, form]) => form.test(toSnake(name)))?.[0]
  return own ?? (plain.test(toSnake(name)) ? undefined : holder)
}

const time = /^\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}[\d:.]*(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?$/
/** Numbers that stand everywhere: only those of addresses are replaced, each by itself. */
export const shortDigits = /^[-+]?\d{1,6}(?:\.\d+)?$/
const opaque = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/
const machine = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7})$/i

/** Returns whether a text is a link: an address, or a path of one. */
export const isLink = (text: string): boolean => /^(?:https?:\/\/|\/)\S+$/i.test(text)

/** Returns what a text is; undefined if it can stay. @param byName what its name says */
export function sortOfText(text: string, byName: Sort | undefined): Sort | undefined {
  if (text === '' || time.test(text) || (shortDigits.test(text) && byName !== 'address')) return undefined
  if (byName === 'token' || credentialForms.some(([, form]) => form.test(text))) return 'token'
  if (text.match(mailAddress)?.[0] === text) return 'mail address'
  if (byName === 'name' || byName === 'address') return byName
  if (machine.test(text)) return 'machine'
  if (/\s/.test(text) || byName === 'text') return 'text'
  return uuid.test(text) || (opaque.test(text) && !text.startsWith('/')) ? 'id' : undefined
}

const pad = (start: string, digits: string, length: number, fill: string): string =>
  start + digits.padStart(Math.max(digits.length, length - start.length), fill)

function inventId(from: string, count: number): string {
  const digits = String(count)
  if (uuid.test(from)) return `00000000-0000-4000-8000-${digits.padStart(12, '0')}`
  if (/^[0-9a-f]+$/i.test(from)) return digits.padStart(from.length, '0')
  return pad('x', digits, Math.min(from.length, 40), '0')
}

/** Invents a value of the same type and form. @param count how many there were of its sort, with this one */
export function invent(sort: Sort, from: string, count: number): string {
  const number = String(count)
  switch (sort) {
    case 'mail address':
      return `person-${number}@example.com`
    case 'link':
      return from.startsWith('/') ? `/${number}` : `https://example.com/${number}`
    case 'machine':
      return count < 255 && !from.includes(':') ? `192.0.2.${number}` : `2001:db8:0:0:0:0:0:${count.toString(16)}`
    case 'id':
      return inventId(from, count)
    case 'token':
      return /^\d+$/.test(from) ? number.padStart(from.length, '9') : `token-${number}`
    default: {
      if (shortDigits.test(from)) return number.padStart(from.length, '0')
      if (sort === 'name' && /^[-+().\d\s]{7,}$/.test(from)) return pad(from.startsWith('+') ? '+1555' : '1555', number, 11, '0')
      const word = sort === 'configuration' ? 'name' : sort
      return /\s/.test(from) ? `${word[0]?.toUpperCase()}${word.slice(1)} ${number}` : `${word}-${number}`
    }
  }
}

const sentences = new Set(['about', 'description', 'title', 'documentation', 'docs', 'hint', 'because'])

function* listWords(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    yield* value.split(/[\s/?&={},:]+/)
  } else if (Array.isArray(value)) for (const inner of value) yield* listWords(inner)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      yield name
      if (!sentences.has(name) || isObject(inner)) yield* listWords(inner)
    }
}

/** Lists the words that a kind itself uses: they are no secrets, and the kind knows no others. */
export const listKindWords = (definition: ConnectorDefinition): ReadonlySet<string> => new Set(listWords(definition))
