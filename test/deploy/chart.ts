/** Renders the chart without Helm. chart.test.ts compares with Helm itself where Helm is installed. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { root } from '../../scripts/paths.mjs'
import { type Node, type Part, parseTemplate } from './template-parser.ts'

export type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [name: string]: Value }
export type Values = { readonly [name: string]: Value }

/** An object of Kubernetes, as far as tests look into it. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
}

export const chartFolder = join(root, 'deploy/helm/ferrule')
const read = (name: string): string => readFileSync(join(chartFolder, name), 'utf8')
const templates = readdirSync(join(chartFolder, 'templates')).map((name) => ({ name, nodes: parseTemplate(read(`templates/${name}`)) }))
const named = new Map(templates.flatMap(({ nodes }) => nodes.flatMap((node) => (node.is === 'define' ? [[node.name, node.nodes]] : []))))

/** What a template sees: variables by name, the scope as `.`, and the outermost scope as ``. */
type Scope = Map<string, Value>

const isTrue = (value: Value): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined && Boolean(value)

const isMap = (value: Value): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
const toText = (value: Value): string => (isMap(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? ''))
const toYaml = (value: Value): string => stringify(value, { sortMapEntries: true, indentSeq: false, lineWidth: 0 }).trimEnd()
const indent = (width: number, text: string): string => text.replaceAll(/^/gm, ' '.repeat(width))

/** The functions that templates of the chart may call, with the meaning that Helm gives them. */
const functions: Readonly<Record<string, (...values: readonly Value[]) => Value>> = {
  include: (name, scope) =>
    renderNodes(
      named.get(toText(name)) ?? fail(`no template ${toText(name)}`),
      new Map([
        ['.', scope],
        ['', scope],
      ]),
    ),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  required: (says, value) => (value === undefined || value === null || value === '' ? fail(toText(says)) : value),
  not: (value) => !isTrue(value),
  fail: (says) => fail(toText(says)),
  kindIs: (kind, value) => typeof value === kind,
  toJson: (value) => JSON.stringify(value),
  dict: (...pairs) => Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[toText(name), pairs[at + 1]]] : []))),
  add: (...numbers) => numbers.reduce((sum: number, value) => sum + Number(value), 0),
  printf: (format, ...values) => values.reduce((text: string, value) => text.replace('%s', toText(value)), toText(format)),
  quote: (value) => JSON.stringify(toText(value)),
  trunc: (width, text) => toText(text).slice(0, Number(width)),
  trimSuffix: (suffix, text) => (toText(text).endsWith(toText(suffix)) ? toText(text).slice(0, -toText(suffix).length) : text),
  nindent: (width, text) => `\n${indent(Number(width), toText(text))}`,
  toYaml,
  sha256sum: (text) => createHash('sha256').update(toText(text)).digest('hex'),
}

function fail(says: string): never {
  throw new Error(says)
}

function evaluate(part: Part, scope: Scope): Value {
  if (part.is === 'constant') return part.value
  if (part.is === 'call') {
    const call = functions[part.name] ?? fail(`the chart's test does not know the function ${part.name}`)
    return call(...part.parts.map((each) => evaluate(each, scope)))
  }
  if (!scope.has(part.variable)) fail(`no variable $${part.variable}`)
  return part.names.reduce<Value>(
    (value, name) => (isMap(value) ? value[name] : fail(`nothing has the name ${part.names.join('.')}`)),
    scope.get(part.variable),
  )
}

function renderNodes(nodes: readonly Node[], outer: Scope): string {
  const scope = new Map(outer)
  const texts = nodes.map((node) => {
    if (node.is === 'text') return node.text
    if (node.is === 'output') return toText(evaluate(node.part, scope))
    if (node.is === 'variable') scope.set(node.name, evaluate(node.part, scope))
    if (node.is === 'define' || node.is === 'variable') return ''
    const value = evaluate(node.part, scope)
    if (node.is === 'range') return renderEach(node, value, scope)
    if (!isTrue(value)) return renderNodes(node.no, scope)
    return renderNodes(node.yes, node.is === 'with' ? new Map([...scope, ['.', value]]) : scope)
  })
  return texts.join('')
}

/** Renders the inside of a range once for each member, in the order of their names. */
const renderEach = ({ key, value: name, yes }: Extract<Node, { is: 'range' }>, value: Value, scope: Scope): string =>
  Object.entries(value ?? {})
    .toSorted(([one], [other]) => (Array.isArray(value) ? 0 : one < other ? -1 : 1))
    .map(([at, each]) => renderNodes(yes, new Map([...scope, ['.', each], [key, at], [name, each]])))
    .join('')

/** Lays values over others, map by map, as `helm --values` does: null takes a value away. */
function merge(under: Values, over: Values): Values {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = under[name]
    return [name, isMap(below) && isMap(value) ? merge(below, value) : value] as const
  })
  return Object.fromEntries(Object.entries({ ...under, ...Object.fromEntries(merged) }).filter(([, value]) => value !== null))
}

/** The chart's values with others laid over them. */
export const fillValues = (over: Values): Values => merge(parse(read('values.yaml')), over)

/**
 * Renders every template of the chart for the release `shop` in the namespace `store`.
 * @param over values that replace those of values.yaml
 * @throws Error in the words of the template, when a needed value lacks
 */
export function renderChart(over: Values): { readonly objects: readonly KubernetesObject[]; readonly notes: string } {
  const { name, version, appVersion } = parse(read('Chart.yaml'))
  const scope: Values = {
    Values: fillValues(over),
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: 'shop', Namespace: 'store', Service: 'Helm' },
  }
  const texts = new Map(
    templates.map((each) => [
      each.name,
      renderNodes(
        each.nodes,
        new Map([
          ['.', scope],
          ['', scope],
        ]),
      ),
    ]),
  )
  const notes = texts.get('NOTES.txt') ?? ''
  texts.delete('NOTES.txt')
  return { objects: [...texts.values()].flatMap(readObjects), notes }
}

/** Reads the objects of a text of YAML documents. @throws the first mistake of the text */
export function readObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [mistake] = document.errors
    if (mistake !== undefined) throw mistake
    const value = document.toJS()
    return value === null ? [] : [value]
  })
}
