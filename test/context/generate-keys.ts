/** Ways to identify generated records: integers, strings, several parts, parameters of the call, paths into objects. */
import type { Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { id, str } from '../../packages/ferrule/src/definition/fields.ts'
import * as draw from './generate-values.ts'
import type { Kept } from './oracle.ts'
import { kept } from './oracle-values.ts'
import type { Random } from './random.ts'

/** A way to identify records: the fields that it adds, and how to draw a key. */
export interface Identity {
  readonly key: readonly string[]
  readonly fields: Fields
  /** Draws the key's fields in the record as sent, in the call's parameters, as documented, and as key parts. */
  draw(random: Random): {
    sent: Record<string, unknown>
    params?: Record<string, unknown>
    typed: Record<string, unknown>
    key: Kept['key']
  }
}

const bigId = (random: Random): bigint =>
  BigInt(random.pick([0, 1, -5, 7, 10, 99, 1000])) + (random.chance(0.4) ? 7644143197428744000n : 0n) + BigInt(random.below(200))
const asRead = (value: bigint): number | bigint => (value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value)

/** All ways. */
export const identities: readonly Identity[] = [
  {
    key: ['id'],
    fields: { id: id('Id') },
    draw: (random) => {
      const value = bigId(random)
      return { sent: { id: random.chance(0.2) ? String(value) : asRead(value) }, typed: { id: asRead(value) }, key: [value] }
    },
  },
  {
    key: ['code'],
    fields: { code: str('Code') },
    draw: (random) => {
      const value = draw.text(random) + random.below(50)
      return { sent: { code: value }, typed: { code: value }, key: [kept(value)] }
    },
  },
  {
    key: ['owner_id', 'id'],
    fields: { owner_id: id('Owner'), id: id('Id') },
    draw: (random) => {
      const [owner, value] = [BigInt(random.below(4)) - 1n, bigId(random)]
      const record = { owner_id: asRead(owner), id: asRead(value) }
      return { sent: record, typed: record, key: [owner, value] }
    },
  },
  {
    key: ['param.account', 'code'],
    fields: { code: str('Code') },
    draw: (random) => {
      const [account, value] = [
        random.pick(['7', '12', '0012', 'main', '-3']),
        random.pick(['', 'a', 'b', 'A', 'é', '\u0001', '\u0002', '\u0001x', '\u{1f44d}', '\uff5e']),
      ]
      return {
        sent: { code: value },
        params: { account },
        typed: { code: value },
        key: [/^(-[1-9]|[1-9]|0$)\d*$/.test(account) ? BigInt(account) : account, value],
      }
    },
  },
  {
    key: ['meta.id'],
    fields: {},
    draw: (random) => {
      const value = bigId(random)
      return { sent: { meta: { id: String(value) } }, typed: {}, key: [value] }
    },
  },
]
