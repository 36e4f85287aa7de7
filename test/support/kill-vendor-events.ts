// A node that takes events of a vendor, and works on them, until it is killed. Its argument is JSON of `TakerOptions`; standard output gets the
// number of each event that was taken.
import { createHmac } from 'node:crypto'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { ledger } from '../platform/sync-kinds.ts'
import { openNode } from './kill-syncs.ts'

/** What the node is told. */
export interface TakerOptions {
  readonly env: Readonly<Record<string, string>>
  /** Public id of the connector's address. */
  readonly address: string
  readonly events: readonly LedgerEvent[]
  /** Added to the clock, so that leases of killed nodes have run out. */
  readonly clockOffset: number
}

/** An event of the ledger. */
export interface LedgerEvent {
  readonly number: number
  readonly topic: 'changed' | 'removed'
  readonly entry: string
}

/** Secret that signs the events. */
export const hookSecret = 'a secret of the ledger'
const { entries } = ledger.definition.entities
if (entries?.list === undefined) throw new Error('the ledger has no list of entries')

/** The ledger with webhooks about its entries, which can be read one by one. */
export const hookedLedger: Kind = {
  ...ledger,
  definition: {
    ...ledger.definition,
    errors: [...ledger.definition.errors, { status: 404, is: 'record_not_found' }],
    webhooks: {
      signature: {
        scheme: 'hmac',
        secret: 'hook_secret',
        header: 'x-signature',
        encoding: 'hex',
        find: { says: 'The settings of the ledger show it.' },
      },
      id: ['number'],
      topic: ['topic'],
      events: {
        changed: { does: 'changed', entity: 'entries', key: ['entry'] },
        removed: { does: 'removed', entity: 'entries', key: ['entry'] },
      },
    },
    entities: {
      ...ledger.definition.entities,
      entries: {
        ...entries,
        get: { about: 'An entry.', call: 'GET /entries/{id}', at: 'entry', params: { id: entries.record?.id ?? {} } },
      },
    },
  },
}

/** Sends an event to an address, as the vendor does. @returns whether it was taken */
export async function tellEvent({ vendorEvents }: Pick<Platform, 'vendorEvents'>, address: string, event: LedgerEvent): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(event))
  const headers = { 'x-signature': createHmac('sha256', hookSecret).update(body).digest('hex') }
  const { outcome } = await vendorEvents.receive({ of: 'connectors', id: address, query: '', method: 'POST', headers, body })
  return outcome === 'taken'
}

async function run({ env, address, events, clockOffset }: TakerOptions): Promise<void> {
  const node = await openNode(env, () => Date.now() + clockOffset, { kind: hookedLedger })
  node.vendorEvents.start()
  for (const event of events) if (await tellEvent(node.platform, address, event)) process.stdout.write(`${event.number}\n`)
  await new Promise((resolve) => setTimeout(resolve, 480_000)) // until it is killed
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
