/** The vendor of the kind `ledger` over HTTP, with records that change. */
import { randomInt } from 'node:crypto'
import type { Reply, Seen } from '../engine/support.ts'

const pageSize = 10

/** A record of the ledger. */
export interface Row {
  readonly id: string
  readonly name: string
  readonly changed_at: string
}

/** The ledger over HTTP. */
export class LedgerServer {
  readonly records: { readonly accounts: Map<string, Row>; readonly entries: Map<string, Row> } = {
    accounts: new Map(),
    entries: new Map(),
  }
  /** Called with each call. */
  onCall: () => void = () => undefined
  #made = 0

  /** Calls `kill` with the call of this number from now on. */
  killAfter(calls: number, kill: () => void): void {
    let left = calls
    this.onCall = () => {
      left -= 1
      if (left === 0) kill()
    }
  }

  /** Changes some records: new ones, other names, and deleted ones. */
  change(now: number): void {
    for (const records of Object.values(this.records)) {
      for (let index = records.size === 0 ? -60 : 0; index < 6; index += 1) {
        this.#made += 1
        const id = String(this.#made).padStart(6, '0')
        records.set(id, { id, name: `made ${this.#made}`, changed_at: new Date(now).toISOString() })
      }
      const ids = [...records.keys()]
      for (const id of ids.filter(() => randomInt(10) === 0))
        records.set(id, { id, name: `changed ${now}`, changed_at: new Date(now).toISOString() })
      for (const id of ids.filter(() => randomInt(20) === 0)) records.delete(id)
    }
  }

  /** Returns what a copy must hold, by entity. */
  expected(): Readonly<Record<string, readonly string[]>> {
    const names = (records: ReadonlyMap<string, Row>) => [...records.values()].map(({ id, name }) => `${id} ${name}`).toSorted()
    const hanging = (records: ReadonlyMap<string, Row>) => [...records.values()].map(({ id, name }) => `${id}.1 of ${name}`).toSorted()
    const { accounts, entries } = this.records
    return { accounts: names(accounts), lines: hanging(accounts), entries: names(entries), comments: hanging(entries) }
  }

  readonly answer = ({ url }: Seen): Reply => {
    this.onCall()
    const { pathname, searchParams } = new URL(url, 'http://vendor')
    const [, name, id, child] = pathname.split('/')
    const records = name === 'entries' ? this.records.entries : this.records.accounts
    if (id !== undefined && child === undefined) {
      const row = records.get(id)
      return row === undefined ? { status: 404, body: { message: 'not found' } } : { body: { entry: row } }
    }
    if (id !== undefined) {
      const parent = records.get(id)
      return { body: { data: parent === undefined ? [] : [{ id: `${id}.1`, name: `of ${parent.name}` }] } }
    }
    const since = Date.parse(searchParams.get('since') ?? '1970-01-01')
    const after = searchParams.get('cursor') ?? ''
    const rows = [...records.values()]
      .filter((row) => row.id > after && Date.parse(row.changed_at) >= since)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const page = rows.slice(0, pageSize)
    return { body: { data: page, next: rows.length > pageSize ? page.at(-1)?.id : null } }
  }
}

/** Lists records as texts that compare. */
export const toTexts = (rows: readonly Pick<Row, 'id' | 'name'>[]): readonly string[] =>
  rows.map(({ id, name }) => `${id} ${name}`).toSorted()
