import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { describeSettings } from '../../packages/server/src/main/settings/table.ts'
import type { Json } from '../http/support.ts'
import { programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { findHelm } from '../support/helm.ts'
import { chartFolder, fillValues, type KubernetesObject, readObjects, renderChart, type Values } from './chart.ts'
import { findValueMistakes, findViolations } from './schemas.ts'
import { imageSettings, readNodeSettings, servedPaths } from './settings-of-nodes.ts'
import { installations, ordinary, secrets } from './values-of-tests.ts'

const rendered = Object.entries(installations).map(([name, values]) => ({ name, values, objects: renderChart(values).objects as Json[] }))
const ofKind = (objects: readonly Json[], kind: string): Json[] => objects.filter((each) => each.kind === kind)
const own = renderChart({ secret: secrets }).objects as Json[]
const podOf = ({ spec }: Json): Json => spec.template.spec
const containerOf = (object: Json): Json => podOf(object).containers[0]
const programs = (objects: readonly Json[]): Json[] => [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')]
const named = (objects: readonly Json[], kind: string, name: string): Json =>
  ofKind(objects, kind).find((each) => each.metadata.name === name)

/** The environment of a container: what the image says, and what it gets from the chart. */
function environmentOf(container: Json): Readonly<Record<string, string>> {
  const from = container.envFrom.map(({ secretRef }: Json) => named(own, 'Secret', secretRef.name).stringData)
  return Object.assign({ ...imageSettings }, ...from, ...container.env.map(({ name, value }: Json) => ({ [name]: value })))
}

describe.each(rendered)('the chart $name', ({ values, objects }) => {
  test('has values and objects that their schemas take', () => {
    expect(findValueMistakes(fillValues(values))).toEqual([])
    expect(objects.flatMap(findViolations)).toEqual([])
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names).toEqual([...new Set(names)])
  })

  test('leaves a node of each role when machines are drained, and takes none away for an upgrade', () => {
    for (const role of ['api', 'worker']) {
      const [deployment] = ofKind(objects, 'Deployment').filter(({ metadata }) => metadata.name.endsWith(`-${role}`))
      const [budget] = ofKind(objects, 'PodDisruptionBudget').filter(({ metadata }) => metadata.name.endsWith(`-${role}`))
      const [scaler] = ofKind(objects, 'HorizontalPodAutoscaler').filter(({ metadata }) => metadata.name.endsWith(`-${role}`))
      const least = scaler === undefined ? deployment.spec.replicas : Math.min(scaler.spec.minReplicas, deployment.spec.replicas ?? 99)
      expect(least - budget.spec.maxUnavailable).toBeGreaterThanOrEqual(1)
      expect(deployment.spec.template.metadata.labels).toMatchObject(budget.spec.selector.matchLabels)
      expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels)
      expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
    }
  })

  test('runs every program without rights', () => {
    for (const program of programs(objects)) {
      expect(podOf(program)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      })
      expect(containerOf(program).securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      })
      expect(containerOf(program).volumeMounts.map(({ mountPath }: Json) => mountPath)).toContain(imageSettings['FERRULE_DATA'])
      expect(containerOf(program).resources.limits.memory).toMatch(/Mi$/)
    }
  })

  test('migrates before nodes of the release start, with a secret that is there by then', () => {
    const [job] = ofKind(objects, 'Job')
    expect(containerOf(job).args).toEqual(['ferrule-server', 'migrate'])
    const { annotations } = job.metadata
    expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    const [{ secretRef }] = containerOf(job).envFrom
    if (secretRef.name === 'mine') return
    const secret = named(objects, 'Secret', secretRef.name)
    expect(secret.metadata.annotations['helm.sh/hook']).toBe(annotations['helm.sh/hook'])
    expect(Number(secret.metadata.annotations['helm.sh/hook-weight'])).toBeLessThan(Number(annotations['helm.sh/hook-weight']))
  })

  test('sends requests to API nodes only', () => {
    const [service] = ofKind(objects, 'Service')
    const chosen = ofKind(objects, 'Deployment').filter(({ spec }) =>
      Object.entries(service.spec.selector).every(([label, value]) => spec.template.metadata.labels[label] === value),
    )
    expect(chosen.map(({ metadata }) => metadata.name)).toEqual([`${service.metadata.name}-api`])
    for (const ingress of ofKind(objects, 'Ingress')) {
      const [{ backend }] = ingress.spec.rules[0].http.paths
      expect(backend.service).toEqual({ name: service.metadata.name, port: { name: service.spec.ports[0].name } })
    }
  })
})

describe('nodes of the chart', () => {
  test('have settings that the service reads, of valid roles, without the sandbox, and time to end', () => {
    const roles = ofKind(own, 'Deployment').map((deployment) => {
      const settings = readNodeSettings(environmentOf(containerOf(deployment)), containerOf(deployment).args)
      const { terminationGracePeriodSeconds } = podOf(deployment)
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(settings.shutdownDelay + settings.shutdownSeconds + 31)
      expect(settings.sandbox).toBe(false)
      return settings.role
    })
    expect(roles.sort()).toEqual(['api', 'worker'])
  })

  test('have names of settings only, in the migrations too', () => {
    const known = [...describeSettings().map(({ name }) => name), ...Object.keys(imageSettings)]
    const used = programs(own).flatMap((program) => Object.keys(environmentOf(containerOf(program))))
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  })

  test('are asked for their health at paths and a port that the service has', () => {
    for (const deployment of ofKind(own, 'Deployment')) {
      const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment)
      expect(ports).toEqual([{ name: 'http', containerPort: Number(imageSettings['FERRULE_PORT']) }])
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
        { path: '/health/live', port: 'http' },
        { path: '/health/live', port: 'http' },
        { path: '/health/ready', port: 'http' },
      ])
      expect(servedPaths).toEqual(expect.arrayContaining(['/health/live', '/health/ready']))
    }
  })
})

describe('secrets of the chart', () => {
  test('stand in secrets only, and under names of secret settings', () => {
    const others = JSON.stringify([own.filter(({ kind }) => kind !== 'Secret'), renderChart({ secret: secrets }).notes])
    for (const secret of Object.values(secrets)) expect(others).not.toContain(secret)
    for (const secret of ofKind(own, 'Secret')) {
      expect(Object.values(secret.stringData).sort()).toEqual(Object.values(secrets).sort())
    }
  })

  test('are refused as plain settings, and so is what the chart sets itself', () => {
    const allowed = describeSettings().filter(
      ({ name }) => findValueMistakes(fillValues({ secret: secrets, config: { [name]: '' } })).length === 0,
    )
    const ofChart = ['FERRULE_ROLE', 'FERRULE_SANDBOX', 'FERRULE_SHUTDOWN_DELAY', 'FERRULE_SHUTDOWN_SECONDS']
    const ofImage = ['FERRULE_PORT', 'FERRULE_DATA']
    const ofEmbedded = ['FERRULE_CONTEXT_FOLDER', 'FERRULE_CONTEXT_MEMORY']
    const refused = [...ofChart, ...ofImage, ...ofEmbedded]
    const wanted = describeSettings().filter(({ name, secret }) => !refused.includes(name) && (!secret || /^HTTPS?_PROXY$/.test(name)))
    expect(allowed.map(({ name }) => name).sort()).toEqual(wanted.map(({ name }) => name).sort())
    for (const { name } of describeSettings().filter(({ secret }) => secret))
      expect(findValueMistakes(fillValues({ secret: secrets, config: { [`${name}_FILE`]: '/secrets/one' } }))).toEqual([])
    expect(allowed.flatMap(({ name, secret }) => (secret ? [name] : []))).toEqual(['HTTP_PROXY', 'HTTPS_PROXY'])
    const config = { HTTPS_PROXY: 'http://proxy.internal:3128' }
    expect(findValueMistakes(fillValues({ secret: secrets, config }))).toEqual([])
    config.HTTPS_PROXY = 'http://me:never-to-be-shown@proxy.internal:3128'
    expect(findValueMistakes(fillValues({ secret: secrets, config }))).not.toEqual([])
  })

  test('are needed', () => {
    expect(() => renderChart({})).toThrow('secret.databaseUrl, secret.existingSecret or config.DATABASE_URL_FILE is needed')
    expect(() => renderChart({ secret: { databaseUrl: secrets.databaseUrl } })).toThrow(
      'secret.masterKey, secret.existingSecret or config.FERRULE_MASTER_KEY_FILE is needed',
    )
  })
})

test('misspelt values are refused', () => {
  expect(findValueMistakes(fillValues({ api: { replica: 3 } }))).toEqual([expect.stringContaining('/api')])
  expect(findValueMistakes(fillValues({ config: { FERRULE_LOGLEVEL: 'info' } }))).not.toEqual([])
})

const wished = Object.entries(ordinary).map(([name, values]) => ({ name, values, objects: renderChart(values).objects as Json[] }))
const wish = (name: string): Json[] => wished.find((each) => each.name === name)?.objects ?? []
const podsOf = (name: string): Json[] => programs(wish(name)).map(podOf)
const environments = (name: string): Json[] => podsOf(name).map(({ containers: [container] }) => container.env)

describe('ordinary values', () => {
  test('are thirty or more', () => expect(wished.length).toBeGreaterThanOrEqual(30))

  test.each(wished)('$name', ({ values, objects }) => {
    expect(findValueMistakes(fillValues(values))).toEqual([])
    expect(objects.flatMap(findViolations)).toEqual([])
    for (const program of programs(objects)) {
      const names = containerOf(program).env.map((each: Json) => each.name)
      expect(names).toEqual([...new Set(names)])
    }
  })

  test('leave the user to OpenShift, and keep the rest of the security context', () => {
    for (const { securityContext } of podsOf('the user that OpenShift chooses'))
      expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    for (const { securityContext } of podsOf('another user'))
      expect(securityContext).toMatchObject({ runAsUser: 10_001, runAsNonRoot: true })
  })

  test('reach nodes and migrations alike', () => {
    for (const pod of podsOf('an authority of certificates')) {
      expect(pod.volumes.map((each: Json) => each.name)).toEqual(['data', 'temporary', 'authorities'])
      expect(pod.containers[0].volumeMounts.at(-1)).toEqual({ name: 'authorities', mountPath: '/authorities', readOnly: true })
      expect(pod.containers[0].env.at(-1)).toEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/authorities/company.pem' })
    }
    for (const { affinity } of podsOf('affinity of nodes and migrations')) expect(affinity.nodeAffinity).toBeDefined()
    for (const { tolerations } of podsOf('tolerations of nodes and migrations')) expect(tolerations).toEqual([{ operator: 'Exists' }])
    for (const { initContainers } of podsOf('a container before and during the service')) expect(initContainers[0].name).toBe('sql-proxy')
    expect(podsOf('an account of the cloud').map(({ serviceAccountName }) => serviceAccountName)).toEqual(['cloud', 'cloud', 'cloud'])
  })

  test('become settings that the service reads', () => {
    const read = (name: string) => environments(name).map((env) => readSettings({ ...imageSettings, ...toMap(env) }, { kinds: [] }))
    const toMap = (env: Json[]) => Object.fromEntries(env.map(({ name, value }) => [name, value]))
    expect(read('numbers and booleans as settings').map(({ rateLimit }) => rateLimit)).toEqual([1_000_000, 1_000_000, 1_000_000])
    expect(read('all addresses of IPv6').map(({ host }) => host)).toEqual(['::', '::', '::'])
    expect(read('a proxy').map(({ proxies }) => proxies.reveal().https)).toEqual(Array(3).fill('http://proxy.internal:3128/'))
  })

  test('switch parts off', () => {
    expect(programs(wish('no workers')).map(({ metadata }) => metadata.name)).toEqual(['shop-api', 'shop-migrations'])
    expect(programs(wish('no job of migrations')).map(({ kind }) => kind)).toEqual(['Deployment', 'Deployment'])
  })

  test('are strings where Kubernetes wants strings', () => {
    const [deployment] = ofKind(wish('numbers and booleans as annotations'), 'Deployment')
    expect(deployment.spec.template.metadata.annotations).toMatchObject({ 'prometheus.io/port': '8080', 'prometheus.io/scrape': 'true' })
    expect(containerOf(ofKind(wish('CPU as a number'), 'Deployment')[0]).resources.requests).toEqual({ cpu: '1', memory: '384Mi' })
  })

  test('name hosts, paths and images', () => {
    const [{ spec }] = ofKind(wish('several hosts and a path'), 'Ingress')
    expect(spec.rules.map(({ host, http }: Json) => [host, http.paths[0].path, http.paths[0].pathType])).toEqual([
      ['a.example.com', '/ferrule', 'ImplementationSpecific'],
      ['b.example.com', '/', 'Prefix'],
    ])
    for (const { containers } of podsOf('an image by its digest'))
      expect(containers[0].image).toMatch(/^registry.example.com\/ferrule@sha256:a{64}$/)
  })
})

const helm = findHelm()
// Without Helm there is no such test, and the counts say so: see counts-reporter.ts.
if (helm !== undefined) {
  test('Helm finds no fault, and renders the same', () => {
    const folder = makeFolder('chart', onTestFinished)
    for (const { values, objects } of [...rendered, ...wished]) {
      expect(byName(renderByHelm(helm, folder, values))).toEqual(byName(objects))
    }
  })
}

function renderByHelm(program: string, folder: string, values: Values): readonly KubernetesObject[] {
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  const run = (...args: string[]): string =>
    execFileSync(program, args, { ...programLimit, encoding: 'utf8', env: { PATH: '', HOME: folder } })
  run('lint', '--strict', chartFolder, '--values', file)
  return readObjects(run('template', 'shop', chartFolder, '--namespace', 'store', '--kube-version', '1.34.1', '--values', file))
}

function byName(objects: readonly KubernetesObject[]): Readonly<Record<string, KubernetesObject>> {
  return Object.fromEntries(objects.map((each) => [`${each.kind} ${each.metadata.name}`, each]))
}
