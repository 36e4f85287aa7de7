/** Reads expressions of Prometheus with its own grammar. */
import { parser } from '@prometheus-io/lezer-promql'

/** A condition on a label: `code="ok"`. */
export interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

/** What an expression names. */
export interface Named {
  /** Metrics with the labels that the expression asks of each. */
  readonly metrics: ReadonlyMap<string, readonly Matcher[]>
  /** Labels of `by` and `on`. */
  readonly grouped: readonly string[]
}

const isWord = (name: string) => name === 'Identifier' || name === 'LabelName' || name.endsWith('Op') || name === 'StringLiteral'

/** Puts values into the variables of Grafana, which the grammar does not have. */
export const fillVariables = (text: string): string => text.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'ferrule')

/**
 * Reads the names of an expression.
 * @throws Error with the place of what Prometheus would refuse
 */
export function readExpression(text: string): Named {
  const metrics = new Map<string, Matcher[]>()
  const grouped: string[] = []
  let metric = ''
  let isGrouping = false
  let words: string[] = []
  parser.parse(text).iterate({
    enter: ({ name, type, from, to }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`)
      if (name === 'GroupingLabels') isGrouping = true
      if (name === 'UnquotedLabelMatcher') words = []
      if (isWord(name)) words.push(text.slice(from, to))
      if (name === 'LabelName' && isGrouping) grouped.push(text.slice(from, to))
      if (name !== 'Identifier') return
      metric = text.slice(from, to)
      metrics.set(metric, metrics.get(metric) ?? [])
    },
    leave: ({ name }) => {
      if (name === 'GroupingLabels') isGrouping = false
      if (name !== 'UnquotedLabelMatcher') return
      const [label = '', operator = '', value = ''] = words
      metrics.get(metric)?.push({ label, operator, value: value.slice(1, -1) })
    },
  })
  return { metrics, grouped }
}

/** A text of `/metrics`: each series' labels with their values. A metric without a series has none. */
export function readMetrics(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = new Map<string, Map<string, Set<string>>>()
  const find = (name: string) => {
    const labels = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, labels)
    return labels
  }
  for (const line of text.split('\n')) {
    const declared = /^# TYPE (\w+) (\w+)/.exec(line)
    if (declared !== null && declared[2] !== 'histogram') find(declared[1] ?? '')
    const [, name, inner = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined || line.startsWith('#')) continue
    const labels = find(name)
    for (const [, label = '', value = ''] of inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      labels.set(label, (labels.get(label) ?? new Set()).add(value))
  }
  return metrics
}
