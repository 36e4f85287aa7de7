/** Connections of this process to a scripted vendor, which answers what was recorded of the true ones. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { type Exchange, type ExpectedCall, readAnswers, readCredentials } from '../conformance/answers.ts'
import { startVendor } from '../conformance/vendor.ts'
import type { KindOperation } from './kind-source.ts'

/** The vendor of every kind. */
export interface RecordedVendor {
  /** A connection of each kind, by its slug. */
  readonly connections: Readonly<Record<string, object>>
  /** Connects a kind by a connection of its own, which remembers nothing of earlier calls. It is closed with the vendor. */
  connect(kind: string): Readonly<Record<string, object>>
  /** Expects these requests next. */
  expect(kind: string, exchanges: readonly Exchange[]): void
  /** Lists what differed, and what was never asked. */
  problems(): string[]
  close(): Promise<void>
}

/** Lists the recorded calls of an operation. */
export function readCalls({ kind, entity, action }: KindOperation): readonly ExpectedCall[] {
  const answers = readAnswers(kind, `${entity}.${action}`)
  if (answers === undefined) throw new Error(`nothing was recorded for ${kind} ${entity}.${action}`)
  return Object.values(answers.calls)
}

/** Starts the vendor and connects every kind to it. */
export async function connectRecorded(): Promise<RecordedVendor> {
  const vendor = await startVendor()
  const origin = { api: vendor.origin, media: vendor.origin }
  const headers = new Map<string, Readonly<Record<string, string>>>()
  const opened: { close(): Promise<void> }[] = []
  const open = (kind: Kind) => {
    const { kind: slug } = kind.definition
    const { schemes, configuration } = readCredentials(slug)
    const [scheme] = Object.values(schemes)
    if (scheme === undefined) throw new Error(`no credentials were recorded for ${slug}`)
    headers.set(slug, scheme.headers)
    // A kind as a value has no static credentials.
    const options = { credentials: scheme.credentials, config: configuration, origin, limits: false }
    const connection = connectLocally(kind, options as unknown as Parameters<typeof connectLocally>[1])
    opened.push(connection)
    return [slug, connection] as const
  }
  const all = Object.values<Kind>(kinds)
  return {
    connections: Object.fromEntries(all.map(open)),
    connect: (slug) => Object.fromEntries(all.filter(({ definition }) => definition.kind === slug).map(open)),
    expect: (kind, exchanges) => vendor.expect(exchanges, headers.get(kind) ?? {}),
    problems: () => vendor.problems(),
    close: async () => {
      for (const connection of opened) await connection.close()
      await vendor[Symbol.asyncDispose]()
    },
  }
}
