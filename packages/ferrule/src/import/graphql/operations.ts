/** Writes the calls of an entity: its list, the read of one record, and what creates, changes and deletes records. */
import type { FileFields, FileOperation, FileSync } from '../../kind-file/file.ts'
import { type FieldWriter, isFree, isValue } from './fields.ts'
import { type ConnectionList, toFieldName } from './lists.ts'
import type { Member, NamedType, Schema } from './schema.ts'

/** The ways of paging that the kind has. A list without `first` has pages of the vendor's own size. */
export type PageWay = 'connection' | 'cursor'

/** What was made of a list. */
export interface MadeList {
  readonly list: FileOperation
  readonly sync?: string | FileSync
  /** The way that it pages by; undefined for a list of one page. */
  readonly way?: PageWay
}

/** A call that could not be written, and why. */
export interface Refused {
  readonly why: string
}

/** What a change is: its word in the kind file, and the words in names of mutations. */
export const changes = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
} as const
/** A change of records. */
export type Change = keyof typeof changes

/** Arguments of paging, and those that go backwards, which no walk needs. */
const pagingArguments: ReadonlySet<string> = new Set(['first', 'after', 'last', 'before'])
/** Names of parameters that every paged list has of its own. */
const ownParameters: ReadonlySet<string> = new Set(['cursor', 'limit'])
/** Types of arguments that a call in a kind file can state. */
const statable = /^\[?\w+!?\]?!?$/

/** Names of filters by the time of a change, and of the fields of records that they are about. */
const changedArgument = /^(updated|modified|changed|last_?modified)_?(at_?)?(since|after|from|gte?|min)$/i
const changedField = /^(updated|modified|changed|last_?modified|last_?updated)(_?(at|on|date|time))?$/i
const fromOperator = /^_?(gte|since|from|after|greaterThanOrEqual(To)?|greater_than_or_equal(_to)?|min|gt)$/i

/** Prints a call: `query issues(first: Int, after: String)`. */
function printCall(kind: 'query' | 'mutation', field: string, args: readonly Member[]): string {
  const list = args.map(({ name, type }) => `${name}: ${type.text}`).join(', ')
  return list === '' ? `${kind} ${field}` : `${kind} ${field}(${list})`
}

const needs = (args: readonly Member[]): readonly Member[] => args.filter(({ isNeeded }) => isNeeded)
const findMember = (members: readonly Member[], name: string): Member | undefined => members.find((each) => each.name === name)

/** A parameter for the time of the last change, and the argument that carries it. */
interface ChangedSince {
  readonly name: string
  readonly text: string | FileFields
  /** The argument, when it is a filter with members of its own. */
  readonly filter?: Member
}

/** Writes the calls of one schema. */
export class OperationWriter {
  readonly #schema: Schema
  readonly #fields: FieldWriter

  constructor(schema: Schema, fields: FieldWriter) {
    this.#schema = schema
    this.#fields = fields
  }

  #isValue({ type }: Member): boolean {
    const found = this.#schema.find(type.name)
    return found !== undefined && isValue(found)
  }

  #isInput({ type }: Member): boolean {
    return this.#schema.find(type.name)?.kind === 'INPUT_OBJECT' && type.lists === 0
  }

  /** Finds how a list is filtered by the time of a change: an argument, a member of a filter, or a comparison within one. */
  #findChangedSince(args: readonly Member[]): ChangedSince | undefined {
    const direct = args.find((each) => changedArgument.test(each.name) && this.#isValue(each))
    if (direct !== undefined) return { name: direct.name, text: 'date-time Changed at or after' }
    for (const filter of args.filter((each) => this.#isInput(each))) {
      const members = this.#schema.find(filter.type.name)?.inputs ?? []
      const flat = members.find((each) => changedArgument.test(each.name) && this.#isValue(each))
      const compared = members.find((each) => changedField.test(each.name) && this.#isInput(each))
      const operators = compared === undefined ? [] : (this.#schema.find(compared.type.name)?.inputs ?? [])
      const from = operators.filter((each) => fromOperator.test(each.name)).toSorted((one, other) => rankFrom(one) - rankFrom(other))[0]
      const path = flat?.name ?? (compared === undefined || from === undefined ? undefined : `${compared.name}.${from.name}`)
      if (path === undefined) continue
      return { name: 'changed_since', text: { $type: 'date-time', $about: 'Changed at or after', $to: `${filter.name}.${path}` }, filter }
    }
    return undefined
  }

  /** Writes the list of an entity. */
  writeList({ field, node, hasEdgesOnly }: ConnectionList): MadeList | Refused {
    const odd = needs(field.args).find((each) => !this.#isValue(each) || !statable.test(each.type.text))
    if (odd !== undefined) return { why: `needs ${odd.name}: ${odd.type.text}, which is no value` }
    const own = field.args.filter(({ name }) => !pagingArguments.has(name))
    const since = this.#findChangedSince(own)
    const taken = own.filter(
      (each) =>
        each.name !== since?.name &&
        this.#isValue(each) &&
        statable.test(each.type.text) &&
        !ownParameters.has(each.name) &&
        this.#fields.writeParameter(each) !== undefined,
    )
    const isPaged = findMember(field.args, 'after') !== undefined
    const isSized = findMember(field.args, 'first') !== undefined
    const way = !isPaged ? undefined : isSized ? 'connection' : 'cursor'
    const paging = way === undefined ? [] : ['first', 'after'].flatMap((name) => findMember(field.args, name) ?? [])
    const carriers = since === undefined ? [] : [since.filter ?? findMember(own, since.name) ?? []].flat()
    const body = { ...(since === undefined ? {} : { [since.name]: since.text }), ...this.#fields.writeParameters(taken) }
    return {
      list: {
        call: printCall('query', field.name, [...paging, ...carriers, ...taken]),
        ...(Object.keys(body).length === 0 ? {} : { body }),
        ...(hasEdgesOnly ? { at: 'data.result.edges', merge: ['node'] } : {}),
        ...(way === 'connection' ? {} : { pages: way ?? 'none' }),
      },
      ...(way === undefined ? {} : { way }),
      ...(needs(taken).length > 0 ? {} : this.#writeSync(node, since)),
    }
  }

  #writeSync(node: NamedType, since: ChangedSince | undefined): Pick<MadeList, 'sync'> {
    const changed = node.fields.find((field) => changedField.test(field.name) && this.#isValue(field) && isFree(field))
    if (since === undefined || changed === undefined) return { sync: 'full' }
    return { sync: { since: { [changed.name]: since.name } } }
  }

  /** Finds the field that reads one record by its id. */
  writeGet({ field: { name: list }, node }: ConnectionList): string | undefined {
    const found = this.#schema.queries.filter(({ type, args }) => {
      const id = findMember(args, 'id')
      return (
        type.name === node.name && type.lists === 0 && id !== undefined && this.#isValue(id) && needs(args).every((each) => each === id)
      )
    })
    const own = [toFieldName(node.name), list.replace(/s$/, '')]
    const chosen = own.flatMap((name) => findMember(found, name) ?? [])[0] ?? found[0]
    const id = findMember(chosen?.args ?? [], 'id')
    if (chosen === undefined || id === undefined) return undefined
    const call = printCall('query', chosen.name, [id])
    return id.isNeeded ? call : call.replace(/\)$/, '!)')
  }

  /** Finds the mutation of a change by its name: `issueCreate`, `createIssue`, `issue_create`. */
  findMutation(change: Change, { name }: NamedType): Member | undefined {
    const wanted = changes[change].flatMap((verb) => [`${verb}${name}`, `${name}${verb}`].map((each) => each.toLowerCase()))
    return this.#schema.mutations.find((each) => wanted.includes(each.name.replaceAll('_', '').toLowerCase()))
  }

  /** Writes a change. */
  writeChange(change: Change, mutation: Member, node: NamedType): string | FileOperation | Refused {
    const { args } = mutation
    const inputs = args.filter((each) => this.#isInput(each))
    const input = inputs.find(({ isNeeded }) => isNeeded) ?? findMember(inputs, 'input') ?? (inputs.length === 1 ? inputs[0] : undefined)
    const odd = needs(args).find((each) => each !== input && !this.#isValue(each))
    const unstatable = needs(args).find(({ type }) => !statable.test(type.text))
    if (odd !== undefined || unstatable !== undefined)
      return { why: `needs ${(odd ?? unstatable)?.name}, which is neither a value nor its only object` }
    const answers = this.#writeAnswer(change, mutation, node)
    if ('why' in answers) return answers
    const values = args.filter(
      (each) => this.#isValue(each) && statable.test(each.type.text) && this.#fields.writeParameter(each) !== undefined,
    )
    const id = values.find(({ name }) => name === 'id' || name === `${toFieldName(node.name)}Id`)
    if (input === undefined) return this.#writeFlat(change, mutation, { values, id, answers })
    const members = (this.#schema.find(input.type.name)?.inputs ?? []).filter(({ name }) => name !== 'clientMutationId')
    const beside = values.filter((each) => each.isNeeded || each === id)
    const body = this.#fields.writeParameters(members.filter(({ name }) => findMember(beside, name) === undefined))
    if (Object.keys(body).length === 0) return { why: `its ${input.name} has no field that a parameter can be` }
    if (change !== 'create' && id === undefined && findMember(members, 'id') === undefined) return { why: 'names no record by an id' }
    return { call: printCall('mutation', mutation.name, [...beside, input]), wrap: input.name, body, ...answers }
  }

  /** Writes a change whose values are arguments themselves. */
  #writeFlat(
    change: Change,
    { name }: Member,
    {
      values,
      id,
      answers,
    }: { readonly values: readonly Member[]; readonly id: Member | undefined; readonly answers: Partial<FileOperation> },
  ): string | FileOperation | Refused {
    if (change !== 'create' && id === undefined) return { why: 'names no record by an id' }
    const sent = change === 'delete' ? needs(values) : values
    const call = printCall('mutation', name, id === undefined || sent.includes(id) ? sent : [id, ...sent])
    const body = change === 'delete' ? {} : this.#fields.writeParameters(values.filter((each) => each !== id))
    const full = { call, ...(Object.keys(body).length === 0 ? {} : { body }), ...answers }
    return Object.keys(full).length === 1 ? call : full
  }

  /** Says where the answer of a change has the record. */
  #writeAnswer(change: Change, { type }: Member, node: NamedType): Pick<FileOperation, 'at' | 'answers'> | Refused {
    const payload = this.#schema.find(type.name)
    if (payload === undefined || payload.fields.length === 0)
      return { why: `answers ${type.text}, a single value: calls ask for the fields of an object` }
    if (change === 'delete' || payload.name === node.name) return {}
    const holders = payload.fields.filter((field) => field.type.name === node.name && field.type.lists === 0 && isFree(field))
    const holder = findMember(holders, toFieldName(node.name)) ?? holders[0]
    return holder === undefined ? { answers: 'nothing' } : { at: `data.result.${holder.name}` }
  }
}

/** Orders comparisons: those that include the time itself go first. */
const rankFrom = ({ name }: Member): number => (/gte|equal|since|from|min/i.test(name) ? 0 : 1)

/** Returns whether a call could not be written. */
export const isRefused = (made: string | object): made is Refused => typeof made === 'object' && 'why' in made
