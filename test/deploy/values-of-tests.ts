import type { Values } from './chart.ts'

/** What must never leave the secrets: each stands in the values of a test. */
export const secrets = {
  databaseUrl: 'postgresql://ferrule:never-to-be-shown@db.example.com:5432/ferrule',
  contextReadUrls: 'postgresql://ferrule:never-to-be-shown@replica.example.com:5432/ferrule',
  masterKey: Buffer.alloc(32, 7).toString('base64'),
  previousMasterKeys: Buffer.alloc(32, 8).toString('base64'),
  operatorClientId: 'first-of-the-chart',
  operatorClientSecret: 'never-to-be-shown-by-the-chart-either',
}

/** The ways to install the chart that tests render. */
export const installations: Readonly<Record<string, Values>> = {
  'with a secret of the chart': { secret: secrets },
  'with a secret of the operator': { secret: { existingSecret: 'mine' } },
  'with everything that is off by default': {
    nameOverride: 'other',
    image: { repository: 'registry.example.com/ferrule', tag: '1' },
    imagePullSecrets: [{ name: 'registry' }],
    secret: { existingSecret: 'mine' },
    config: { FERRULE_PUBLIC_URL: 'https://ferrule.example.com', FERRULE_TRUSTED_PROXIES: '10.0.0.0/8', FERRULE_SYNC_CONCURRENCY: '4' },
    api: { autoscaling: { enabled: true }, nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'only', operator: 'Exists' }] },
    worker: { replicas: 5, maxUnavailable: 2, autoscaling: { enabled: true, minReplicas: 3 } },
    serviceAccount: { create: false },
    service: { annotations: { team: 'data' } },
    ingress: {
      ...{ enabled: true, className: 'nginx', annotations: { a: 'b' }, hosts: [{ host: 'ferrule.example.com' }] },
      tls: [{ hosts: ['ferrule.example.com'], secretName: 'certificate' }],
    },
    networkPolicy: { enabled: true, from: [{ podSelector: { matchLabels: { role: 'proxy' } } }] },
    podAnnotations: { scraped: 'yes' },
  },
  'with a network that is closed to others, and an account of its own': {
    secret: { existingSecret: 'mine' },
    networkPolicy: { enabled: true },
    ingress: { enabled: true, hosts: [{ host: 'ferrule.example.com' }] },
    serviceAccount: { name: 'account', annotations: { bound: 'to' } },
  },
}

const mine = { secret: { existingSecret: 'mine' } }
const elsewhere = {
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'a', operator: 'Exists' }] }] },
}
const everywhere = [{ operator: 'Exists' }]

const wishes: Readonly<Record<string, Values>> = {
  'another user': { podSecurityContext: { runAsUser: 10_001, runAsGroup: 10_001, fsGroup: 10_001 } },
  'the user that OpenShift chooses': { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } },
  'a security context with SELinux': { securityContext: { seLinuxOptions: { level: 's0:c123,c456' } } },
  'an authority of certificates': {
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/authorities/company.pem' }],
    extraVolumes: [{ name: 'authorities', configMap: { name: 'company' } }],
    extraVolumeMounts: [{ name: 'authorities', mountPath: '/authorities', readOnly: true }],
  },
  'a proxy': { config: { HTTPS_PROXY: 'http://proxy.internal:3128', NO_PROXY: '.internal,10.0.0.1' } },
  'a proxy with a password': {
    extraEnv: [{ name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } }],
  },
  traces: {
    extraEnv: [
      { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.observability:4318' },
      { name: 'OTEL_SERVICE_NAME', value: 'ferrule' },
    ],
  },
  'options of Node': { extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }] },
  'environment of a map and a secret': {
    extraEnvFrom: [{ configMapRef: { name: 'more' } }, { secretRef: { name: 'most', optional: true } }],
  },
  'secrets in files of a driver': {
    secret: { existingSecret: '' },
    config: { DATABASE_URL_FILE: '/secrets/database-url', FERRULE_MASTER_KEY_FILE: '/secrets/master-key' },
    extraVolumes: [
      { name: 'secrets', csi: { driver: 'secrets-store.csi.k8s.io', readOnly: true, volumeAttributes: { secretProviderClass: 'f' } } },
    ],
    extraVolumeMounts: [{ name: 'secrets', mountPath: '/secrets', readOnly: true }],
  },
  'all addresses of IPv6': { config: { FERRULE_HOST: '::' }, service: { extraSpec: { ipFamilyPolicy: 'PreferDualStack' } } },
  'numbers and booleans as settings': { config: { FERRULE_RATE_LIMIT: 1_000_000, FERRULE_SYNC_INTERVAL: 600 } },
  'numbers and booleans as annotations': { podAnnotations: { 'prometheus.io/port': 8080, 'prometheus.io/scrape': true } },
  'labels of pods': { podLabels: { team: 'data', 'cost-center': 4711 } },
  'CPU as a number': {
    api: { resources: { requests: { cpu: 1 }, limits: { cpu: 2 } } },
    migrations: { resources: { requests: { cpu: 0.5 } } },
  },
  'affinity of nodes and migrations': {
    api: { affinity: { nodeAffinity: elsewhere } },
    worker: { affinity: { nodeAffinity: elsewhere } },
    migrations: { affinity: { nodeAffinity: elsewhere } },
  },
  'tolerations of nodes and migrations': {
    api: { tolerations: everywhere },
    worker: { tolerations: everywhere },
    migrations: { tolerations: everywhere, nodeSelector: { pool: 'jobs' } },
  },
  'machines by a boolean label': { worker: { nodeSelector: { dedicated: true } } },
  'a class of priority': { api: { priorityClassName: 'high' }, migrations: { priorityClassName: 'high' } },
  'no workers': { worker: { enabled: false } },
  'no API nodes': { api: { enabled: false } },
  'no job of migrations': { migrations: { enabled: false } },
  'several hosts and a path': {
    ingress: {
      enabled: true,
      annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': 120 },
      hosts: [{ host: 'a.example.com', path: '/ferrule', pathType: 'ImplementationSpecific' }, { host: 'b.example.com' }],
      tls: [{ hosts: ['a.example.com', 'b.example.com'], secretName: 'certificate' }, { hosts: ['b.example.com'] }],
    },
  },
  'an image by its digest': { image: { repository: 'registry.example.com/ferrule', digest: `sha256:${'a'.repeat(64)}` } },
  'a balancer of the cloud': {
    service: {
      type: 'LoadBalancer',
      annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': true },
      extraSpec: { loadBalancerSourceRanges: ['10.0.0.0/8'] },
    },
  },
  'a port of the machines': { service: { type: 'NodePort', nodePort: 30_080 } },
  'a percentage of pods': { api: { replicas: 6, maxUnavailable: '25%' } },
  'an account of the cloud': { serviceAccount: { create: false, name: 'cloud' } },
  'names of hosts and DNS': {
    extraPodSpec: {
      hostAliases: [{ ip: '10.0.0.7', hostnames: ['db.internal'] }],
      dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    },
  },
  'a container beside the service': { extraContainers: [{ name: 'sql-proxy', image: 'sql-proxy:2', args: ['db'] }] },
  'a container before and during the service': { initContainers: [{ name: 'sql-proxy', image: 'sql-proxy:2', restartPolicy: 'Always' }] },
  'a name of one’s own': { fullnameOverride: 'ferrule-of-sales' },
}

/** What people ordinarily set, with the secret that every installation has. */
export const ordinary: Readonly<Record<string, Values>> = Object.fromEntries(
  Object.entries(wishes).map(([name, values]) => [name, { ...mine, ...values }]),
)
