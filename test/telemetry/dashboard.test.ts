import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { errorTable } from '../../packages/ferrule/src/errors.ts'
import { runStates } from '../../packages/ferrule/src/wire/syncs.ts'
import { deliveryStatuses } from '../../packages/ferrule/src/wire/webhooks.ts'
import { receivedOutcomes } from '../../packages/server/src/events/vendors/receiver.ts'
import { vendorEventOutcomes } from '../../packages/server/src/values/metric-types.ts'
import { root } from '../../scripts/paths.mjs'
import { onlyUsers, startCopyWorld } from '../http/search-support.ts'
import type { Json } from '../http/support.ts'
import { share } from '../support/share.ts'
import { fillVariables, type Named, readExpression, readMetrics } from './promql.ts'

const readDeployed = (name: string): string => readFileSync(join(root, 'deploy/observability', name), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const dashboard: Json = JSON.parse(readDeployed('grafana-dashboard.json'))
const panels: readonly Json[] = dashboard.panels.filter(({ type }: Json) => type !== 'row')
const rules: readonly Rule[] = parse(readDeployed('alerts.yaml')).groups.flatMap((group: Json) => group.rules)
const expressions = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }: Json) => [title, fillVariables(expr)] as const)),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
]

/** What Prometheus adds to what it reads. */
const ownMetrics: readonly string[] = ['up']
const ownLabels: readonly string[] = ['job', 'instance']

const world = await share(startCopyWorld('embedded'))
const id = await world.connect('users', onlyUsers)
await world.context.sync()
expect((await world.execute(id, { entity: 'users', action: 'list' })).status).toBe(200)
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_connectors', arguments: {} } }
const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
expect((await world.ask('/mcp', { token: world.token, body: message, headers })).status).toBe(200)
const text = await vi.waitFor(
  async () => {
    const answer = await world.ask('/metrics')
    expect(answer.text).toContain('ferrule_folded_records_total{') // records reach the copy after their answer
    return answer.text
  },
  { timeout: 240_000 },
)
const metrics = readMetrics(text)

/** Says what of an expression the service does not have. */
function findMissing({ metrics: asked, grouped }: Named): string[] {
  const labels = new Set([...asked.keys()].flatMap((name) => [...(metrics.get(name)?.keys() ?? [])]))
  const ofMetrics = [...asked].flatMap(([name, matchers]) => {
    const own = metrics.get(name)
    if (own === undefined) return ownMetrics.includes(name) ? [] : [name]
    return matchers.flatMap(({ label }) => (own.has(label) || ownLabels.includes(label) ? [] : [`${name}{${label}}`]))
  })
  return [...ofMetrics, ...grouped.filter((label) => !labels.has(label) && !ownLabels.includes(label))]
}

test.each(expressions)('%s asks only for metrics and labels of the service', (_title, expression) => {
  expect(findMissing(readExpression(expression))).toEqual([])
})

test('wrong expressions are found', () => {
  expect(findMissing(readExpression('sum by (tenant) (rate(ferrule_executes_total{color="red"}[5m])) / ferrule_lost'))).toEqual([
    'ferrule_executes_total{color}',
    'ferrule_lost',
    'tenant',
  ])
  expect(() => readExpression('sum(rate(ferrule_executes_total[5m])')).toThrow('not PromQL')
})

test('the dashboard shows every metric of ours, so a new one needs a panel', () => {
  const shown = expressions.flatMap(([, expression]) => [...readExpression(expression).metrics.keys()])
  const own = [...metrics.keys()].filter((name) => name.startsWith('ferrule_') && !name.endsWith('_sum'))
  expect(own.length).toBeGreaterThan(12)
  expect(own.filter((name) => !shown.includes(name))).toEqual([])
})

/** Values that a label can have, where they are known. */
const known: Readonly<Record<string, readonly string[]>> = {
  code: ['ok', 'aborted', ...Object.keys(errorTable)],
  state: runStates,
  outcome: ['folded', 'dropped', 'failed', ...deliveryStatuses, ...receivedOutcomes, ...vendorEventOutcomes],
}

test.each(expressions)('%s asks for values that exist', (_title, expression) => {
  for (const { label, operator, value } of [...readExpression(expression).metrics.values()].flat()) {
    const values = operator.includes('~') ? value.split('|') : [value]
    if (known[label] !== undefined) expect(known[label]).toEqual(expect.arrayContaining(values))
  }
})

describe('the dashboard', () => {
  test('has panels with a title, a sentence and a unit, each in its own place', () => {
    for (const { title, description, fieldConfig, targets, gridPos } of panels) {
      expect(description, title).toMatch(/^[A-Z0-9].*\.$/)
      expect(fieldConfig.defaults.unit, title).not.toBe('')
      expect(
        targets.every(({ legendFormat }: Json) => legendFormat !== ''),
        title,
      ).toBe(true)
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    }
    const ids = dashboard.panels.map(({ id }: Json) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length)
  })

  test('has legends whose labels its expressions keep', () => {
    for (const { title, targets } of panels)
      for (const { expr, legendFormat } of targets) {
        const { grouped } = readExpression(fillVariables(expr))
        const kept = grouped.length === 0 ? ownLabels : grouped
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(kept, title).toContain(label)
      }
  })
})

describe('each alert', () => {
  test.each(rules)('$alert says what is wrong and what to do next', ({ expr, labels, annotations, ...rule }) => {
    expect(rule.alert).toMatch(/^Ferrule[A-Z]\w+$/)
    expect(rule.for ?? '1m').toMatch(/^\d+[mh]$/)
    expect(['critical', 'warning', 'info']).toContain(labels['severity'])
    expect(Object.keys(annotations)).toEqual(['summary', 'next_step'])
    for (const text of Object.values(annotations)) expect(text.length).toBeGreaterThan(30)
    const { grouped } = readExpression(expr)
    const kept = grouped.length === 0 ? ownLabels : grouped
    for (const [, label] of Object.values(annotations)
      .join()
      .matchAll(/\$labels\.(\w+)/g))
      expect(kept).toContain(label)
  })

  test('has a name of its own, and names settings, routes and panels that exist', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    const text = rules.map(({ annotations }) => annotations['next_step']).join('\n')
    const settings = readFileSync(join(root, 'docs/settings.md'), 'utf8')
    for (const [name] of text.matchAll(/\b(?:FERRULE|CONTEXT)_[A-Z_]+/g)) expect(settings).toContain(`\`${name}\``)
    const titles = panels.map(({ title }) => title)
    for (const [, title] of text.matchAll(/"([A-Z][^"]+)"/g)) expect(titles).toContain(title)
  })
})
