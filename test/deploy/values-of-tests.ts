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
    ingress: { enabled: true, className: 'nginx', host: 'ferrule.example.com', tlsSecret: 'certificate', annotations: { a: 'b' } },
    networkPolicy: { enabled: true, from: [{ podSelector: { matchLabels: { role: 'proxy' } } }] },
    podAnnotations: { scraped: 'yes' },
  },
  'with a network that is closed to others, and an account of its own': {
    secret: { existingSecret: 'mine' },
    networkPolicy: { enabled: true },
    ingress: { enabled: true, host: 'ferrule.example.com' },
    serviceAccount: { name: 'account', annotations: { bound: 'to' } },
  },
}
