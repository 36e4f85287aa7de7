/** The conversation that every framework holds with a hosted service: one table of calls, and what the model must see. */
import type { Fault } from '../../packages/sandbox/src/index.ts'
import { findHandle } from '../agent/support.ts'
import type { ModelCall, ModelResult, ScriptedModel } from './drivers/driver.ts'

/** A turn of the model with one call. */
export interface Step {
  readonly what: string
  /** The call; it may use what was seen before. */
  readonly call: Omit<ModelCall, 'id'> | ((seen: readonly ModelResult[]) => Omit<ModelCall, 'id'>)
  /** What the text must have. */
  readonly sees: readonly RegExp[]
  /** True: the framework's mark for errors is set, where the framework has one. */
  readonly isError?: boolean
  /** What the vendor does during the step. */
  readonly fault?: Fault
}

const execute = (args: Readonly<Record<string, unknown>>) => ({ name: 'execute', args })
/** Call of a write. */
export const write = {
  name: 'write',
  args: {
    connector: 'Warehouse',
    entity: 'record',
    action: 'create',
    params: { statement: "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'seen')" },
  },
}
const users = { connector: 'Calls', entity: 'users', action: 'list', fields: ['id'] }

/** The whole way of an agent. */
export const conversation: readonly Step[] = [
  { what: 'discovers', call: { name: 'list_connectors', args: {} }, sees: [/Calls/, /gong/, /Ads/, /tiktok-marketing/] },
  { what: 'describes a connector', call: { name: 'describe', args: { connector: 'Calls' } }, sees: [/users/, /call_transcripts/] },
  {
    what: 'describes an entity',
    call: { name: 'describe', args: { connector: 'Calls', entity: 'users' } },
    sees: [/list/, /emailAddress/],
  },
  {
    what: 'searches',
    call: { name: 'search', args: { connector: 'Calls', entity: 'users', where: 'active = true', fields: ['id'], limit: 3 } },
    sees: [/\d{10}/, /"context_store":/],
  },
  { what: 'reads', call: execute(users), sees: [/\d{10}/] },
  { what: 'reads more than an answer holds', call: execute({ ...users, fields: undefined }), sees: [/"id"/, /read_more \{"handle":/] },
  { what: 'reads on', call: (seen) => ({ name: 'read_more', args: { handle: findHandle(seen.at(-1) ?? { text: '' }) } }), sees: [/"id"/] },
  {
    what: 'reads an id above 2^53',
    call: execute({ connector: 'Ads', entity: 'advertisers', action: 'list' }),
    sees: [/7398164205713920517/],
  },
  { what: 'names a tool that does not exist', call: { name: 'exec', args: {} }, sees: [/exec\b/], isError: true },
  { what: 'names a wrong entity', call: execute({ ...users, entity: 'userz' }), sees: [/entity_not_found/, /users/], isError: true },
  { what: 'recovers', call: execute(users), sees: [/\d{10}/] },
  {
    what: 'gives arguments of a wrong type',
    call: execute({ ...users, entity: 5, field: ['id'] }),
    sees: [/entity must be a string/, /did you mean fields/, /A call that fits/],
    isError: true,
  },
  {
    what: 'gives arguments as text and null',
    call: execute({ ...users, fields: '["id"]', params: null }),
    sees: [/\d{10}/],
  },
  {
    what: 'meets a refusal of the vendor',
    call: execute({ connector: 'Calls', entity: 'calls', action: 'get', params: { id: '1' } }),
    sees: [/record_not_found/, /Call ID 1 was not found/],
    isError: true,
  },
  {
    what: 'meets a failure of the vendor',
    call: execute(users),
    sees: [/upstream_error/, /later/],
    isError: true,
    fault: { kind: 'html-502', on: 'api', times: 3 },
  },
  { what: 'writes', call: write, sees: [/rows inserted/] },
]

/** What a model saw of a run. */
export interface Transcript {
  readonly model: ScriptedModel
  /** Results in the order of the steps. */
  readonly seen: ModelResult[]
}

/** Makes a model that makes the calls of a table, one in each turn. @param begin is told each step before its call */
export function followSteps(steps: readonly Step[], begin: (step: Step) => void = () => undefined): Transcript {
  const seen: ModelResult[] = []
  let turn = 0
  const model: ScriptedModel = (results) => {
    seen.push(...results)
    const step = steps[turn]
    if (step === undefined) return []
    turn += 1
    begin(step)
    return [{ id: `call_${turn}`, ...(typeof step.call === 'function' ? step.call(seen) : step.call) }]
  }
  return { model, seen }
}
