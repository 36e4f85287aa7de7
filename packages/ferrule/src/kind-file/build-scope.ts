/** What all builders share: the findings, references by name, and small readers of texts. */
import type { Condition } from '../definition/sync.ts'
import type { Findings, Steps } from './check-tree.ts'
import type { KindFile, Named, Scalar } from './file.ts'
import { sayUnknown } from './mistakes.ts'

/** A file in the making. */
export interface BuildScope {
  readonly file: KindFile
  readonly found: Findings
}

/** A name that must exist elsewhere in the file. */
export interface Reference {
  readonly steps: Steps
  /** What the name should be: `a way of paging`. */
  readonly what: string
  readonly name: string
  readonly valid: readonly string[]
  readonly example?: string
}

/** Checks that a name exists. @returns whether it does; if not, the mistake is noted with the nearest name */
export function refer({ found }: Pick<BuildScope, 'found'>, { steps, what, name, valid, example }: Reference): boolean {
  if (valid.includes(name)) return true
  if (name === '') return false // it was missing or wrong, and that is noted
  const said = { ...sayUnknown(what, name, valid), ...(example === undefined ? {} : { example }) }
  found.note(steps, said, steps.at(-1) === name ? 'key' : 'value')
  return false
}

/** The first step of a path. */
export const firstStep = (path: string): string => path.split(/[.[]/)[0] ?? ''

/** Reads a condition: a field, `!` and a field, or a field and its value. */
export function readCondition(condition: string | Named<Scalar>): Condition {
  if (typeof condition !== 'string') {
    const [[field, is] = ['', '']] = Object.entries(condition)
    return { field, is }
  }
  return condition.startsWith('!') ? { field: condition.slice(1), not: true } : { field: condition }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads a time such as `7d` as seconds. A time without a number is one unit. */
export const readSpan = (text: string): number => Number(/^\d+/.exec(text)?.[0] ?? 1) * (units[text.at(-1) ?? ''] ?? 0)

/** Returns an object without its undefined values. */
export const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> }

/** Headers that belong to the transfer or to the credentials. */
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'cookie',
  'proxy-authorization',
  'proxy-connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'accept-encoding',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
])

/** Notes headers that no file may set. */
export function checkHeaders({ found }: BuildScope, headers: Named<string>, steps: Steps, isSecret: boolean): void {
  for (const name of Object.keys(headers)) {
    const low = name.toLowerCase()
    if (ownHeaders.has(low))
      found.note([...steps, name], { message: `the header ${name} cannot be set: the request makes it itself` }, 'key')
    if (low === 'authorization' && !isSecret)
      found.note(
        [...steps, name],
        {
          message: 'the header authorization carries credentials: it stands in send',
          example: "send: { authorization: 'Bearer {token}' }",
        },
        'key',
      )
  }
}

/** Writes names of headers in lower case. */
export const lowerNames = (headers: Named<string>): Named<string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
