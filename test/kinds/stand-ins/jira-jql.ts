/** A part of Jira's query language: https://support.atlassian.com/jira-software-cloud/docs/use-advanced-search-with-jira-query-language-jql */
import { at, type Row } from './shared.ts'

/** What a query means. */
export interface Jql {
  readonly fits: (row: Row) => boolean
  /** Fields of the order. */
  readonly by: readonly string[]
  readonly isAscending: boolean
}

interface Reader {
  /** Hours that the clock of the user is behind UTC: times in quotes are those of the user. */
  readonly hoursBehind: number
  readonly projects: readonly Row[]
}

const paths = { project: 'project.key', status: 'status.name', issuetype: 'issuetype.name', assignee: 'assignee.accountId' }
const all: Readonly<Record<string, string>> = { ...paths, summary: 'summary', key: 'key', id: 'id', created: 'created', updated: 'updated' }
const isTime = (field: string) => field === 'created' || field === 'updated'
const words = /\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|(>=|<=|!=|[=<>~(),])|([^\s=<>!~(),"']+))\s*/y

/** A word, and whether it stood in quotes. */
interface Word {
  readonly text: string
  readonly isQuoted: boolean
}

function split(jql: string): Word[] | undefined {
  const found: Word[] = []
  words.lastIndex = 0
  while (words.lastIndex < jql.length) {
    const match = words.exec(jql)
    if (match === null) return undefined
    const [, double, single, sign, bare] = match
    const quoted = double ?? single
    found.push({ text: quoted?.replace(/\\(.)/g, '$1') ?? sign ?? bare ?? '', isQuoted: quoted !== undefined })
  }
  return found
}

/** Reads a time: milliseconds without quotes, or a time of the user, exact to the minute. */
function readTime({ text, isQuoted }: Word, hoursBehind: number): number {
  if (!isQuoted) return /^\d+$/.test(text) ? Number(text) : Number.NaN
  const [, year, month, day, hour = '00', minute = '00'] = /^(\d{4})[/-](\d{2})[/-](\d{2})(?: (\d{2}):(\d{2}))?$/.exec(text) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`) + hoursBehind * 3_600_000
}

const signs: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '<': (order) => order < 0,
}

/** Reads `field sign value`. @returns the condition, or what is wrong with it */
function readClause([field, sign, value, ...rest]: readonly Word[], reader: Reader): ((row: Row) => boolean) | string {
  if (field === undefined || sign === undefined || value === undefined || rest.length > 0)
    return 'Error in the JQL Query: a clause is not complete.'
  const name = field.text.toLowerCase()
  const path = all[name]
  if (path === undefined) return `Field '${field.text}' does not exist or you do not have permission to view it.`
  if (sign.text === '~' && name === 'summary') return (row) => String(row[name]).includes(value.text)
  const holds = signs[sign.text]
  if (holds === undefined || sign.isQuoted) return `Error in the JQL Query: Expecting operator but got '${sign.text}'.`
  if (isTime(name)) {
    const time = readTime(value, reader.hoursBehind)
    if (Number.isNaN(time)) return `Date value '${value.text}' for field '${name}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm'.`
    return (row) => holds(Math.sign(Date.parse(String(row[name])) - time))
  }
  if (!/^!?=$/.test(sign.text)) return `The operator '${sign.text}' is not supported by the '${name}' field.`
  const project = reader.projects.find((row) => [row['id'], row['key'], row['name']].includes(value.text))
  if (name === 'project' && project === undefined) return `The value '${value.text}' does not exist for the field 'project'.`
  const wanted = name === 'project' ? project?.['key'] : value.text
  return (row) => holds(at(row, path) === wanted ? 0 : 1)
}

/** Reads `field ASC, field`. All fields have one direction here. @returns what is wrong, or the order */
function readOrder(given: readonly Word[]): Pick<Jql, 'by' | 'isAscending'> | string {
  const text = given.map((word) => word.text).join(' ')
  const parts = text === '' ? [] : text.split(' , ').map((part) => part.toLowerCase().split(' '))
  const wrong = parts.find(([name = '', direction = 'asc', ...rest]) => !(name in all && /^(asc|desc)$/.test(direction)) || rest.length > 0)
  if (wrong !== undefined) return `Error in the JQL Query: Not able to sort using '${wrong.join(' ')}'.`
  return {
    by: parts.map(([name = '']) => all[name] ?? name),
    isAscending: (parts[0]?.[1] ?? (parts.length > 0 ? 'asc' : 'desc')) === 'asc',
  }
}

/** Reads clauses with AND between them, and an order. @returns what is wrong, or what the query means; all else is refused */
export function readJql(jql: string, reader: Reader): Jql | string {
  const found = split(jql)
  if (found === undefined) return 'Error in the JQL Query: a quoted string has no end.'
  const isWord = (text: string, { isQuoted, text: own }: Word) => !isQuoted && own.toLowerCase() === text
  const end = found.findIndex(
    (word, index) => isWord('order', word) && found[index + 1] !== undefined && isWord('by', found[index + 1] ?? word),
  )
  const order = readOrder(end < 0 ? [] : found.slice(end + 2))
  if (typeof order === 'string') return order
  const clauses: Word[][] = [[]]
  for (const word of end < 0 ? found : found.slice(0, end))
    if (isWord('and', word)) clauses.push([])
    else clauses.at(-1)?.push(word)
  if (clauses[0]?.length === 0) return 'Unbounded JQL queries are not allowed here. Please add a search restriction to your query.'
  const read = clauses.map((clause) => readClause(clause, reader))
  const wrong = read.find((clause) => typeof clause === 'string')
  return typeof wrong === 'string'
    ? wrong
    : { ...order, fits: (row) => read.every((clause) => typeof clause === 'function' && clause(row)) }
}
