/** Makes the sync of the long form. */
import type { EntityDefinition } from '../definition/entity.ts'
import type { Fields } from '../definition/fields.ts'
import type { Changes, Each, Since, Sync, TimeForm } from '../definition/sync.ts'
import { type BuildScope, firstStep, readConditions, readSpan, refer } from './build-scope.ts'
import type { Steps } from './check-tree.ts'
import type { FileChanges, FileCondition, FileSince, FileSync, Named, Scalar } from './file.ts'

/** An entity without its sync, and all others. */
export interface SyncSource {
  readonly entity: string
  readonly entities: Named<EntityDefinition>
  readonly steps: Steps
}

/** Overlap of runs that do not say theirs, in seconds. */
const overlapSeconds = 60
const secondsPerDay = 86_400
/** Most walks that values of parameters make. */
const mostValues = 200

const forms: Readonly<Record<string, TimeForm>> = { 'unix-time': 'seconds', 'unix-time-ms': 'milliseconds', date: 'date' }
/** Reads how a parameter writes a time from its type. */
const readTimeForm = (params: Fields, name: string): TimeForm | undefined => forms[params[name]?.format ?? '']

type FullSince = Extract<FileSince, { readonly field: string; readonly send: string }>
const isFull = (since: FileSince): since is FullSince => 'field' in since
const readSince = (since: FileSince): FullSince => {
  if (isFull(since)) return since
  const [[field, send] = ['', '']] = Object.entries(since)
  return { field, send }
}

class SyncBuilder {
  readonly #scope: BuildScope
  readonly #source: SyncSource
  readonly #own: EntityDefinition

  constructor(scope: BuildScope, source: SyncSource) {
    this.#scope = scope
    this.#source = source
    this.#own = source.entities[source.entity] ?? { about: '', key: [] }
  }

  get #params(): Fields {
    return this.#own.list?.params ?? this.#own.get?.params ?? {}
  }

  #isParameter(name: string, steps: Steps): boolean {
    return refer(this.#scope, {
      ...{ steps, what: `a parameter of ${this.#own.list === undefined ? 'get' : 'list'}`, name, valid: Object.keys(this.#params) },
      example: `params: { ${name}: date-time Changed since }`,
    })
  }

  #isField(path: string, steps: Steps, fields: Fields | undefined = this.#own.record, of = 'the record'): boolean {
    const valid = Object.keys(fields ?? {})
    return valid.includes(path) || refer(this.#scope, { steps, what: `a field of ${of}`, name: firstStep(path), valid })
  }

  #isEntity(name: string, steps: Steps): boolean {
    return refer(this.#scope, { steps, what: 'an entity', name, valid: Object.keys(this.#source.entities) })
  }

  #take(parent: string, take: Named<string>, steps: Steps): Named<string> {
    const record = this.#source.entities[parent]?.record
    for (const [name, path] of Object.entries(take)) {
      this.#isParameter(name, [...steps, name])
      this.#isField(path, [...steps, name], record, parent)
    }
    return take
  }

  /** Reads which records of some entities are called for. */
  #where(where: FileCondition, parents: readonly string[], steps: Steps): Pick<Each, 'where'> {
    const records = parents.map((parent) => [parent, this.#source.entities[parent]?.record ?? {}] as const)
    const [condition] = readConditions(this.#scope, where, { steps, records, isConfigured: true })
    return condition === undefined ? {} : { where: condition }
  }

  #each({ each = {}, batch, where }: FileSync, steps: Steps): readonly Each[] {
    const parents = Object.entries(each).filter(([parent]) => this.#isEntity(parent, [...steps, 'each', parent]))
    for (const [name, word] of Object.entries({ batch, where }))
      if (word !== undefined && Object.keys(each).length === 0)
        this.#scope.found.note([...steps, name], { message: 'is for each, which is missing' })
    const names = parents.map(([parent]) => parent)
    const condition = where === undefined ? {} : this.#where(where, names, [...steps, 'where'])
    return parents.map(([entity, take]) => ({
      ...{ entity, take: this.#take(entity, take, [...steps, 'each', entity]) },
      ...(batch === undefined ? {} : { batch }),
      ...condition,
    }))
  }

  #parents(sync: FileSync, steps: Steps): Pick<Sync, 'each' | 'within' | 'under'> {
    const { within, under } = sync
    const [first, ...others] = this.#each(sync, steps)
    const isWithin = within !== undefined && this.#isEntity(within.entity, [...steps, 'within', 'entity'])
    if (within !== undefined && isWithin)
      this.#isField(within.at, [...steps, 'within', 'at'], this.#source.entities[within.entity]?.record, within.entity)
    const [field, path] = Object.entries(under ?? {})[0] ?? []
    return {
      ...(first === undefined ? {} : { each: others.length === 0 ? first : [first, ...others] }),
      ...(within !== undefined && isWithin
        ? {
            within: {
              entity: within.entity,
              at: within.at,
              ...(within.most === undefined
                ? {}
                : { most: { records: within.most, take: this.#take(within.entity, within.take ?? {}, [...steps, 'within', 'take']) } }),
            },
          }
        : {}),
      ...(field === undefined || path === undefined ? {} : { under: { field, parent: path } }),
    }
  }

  #since(since: FileSince, steps: Steps): Since | undefined {
    const { field, send, until, as = readTimeForm(this.#params, send), text, first, overlap, fixed, sorted } = readSince(since)
    const at = isFull(since)
      ? { field: [...steps, 'field'], send: [...steps, 'send'] }
      : { field: [...steps, field], send: [...steps, field] }
    const isField = this.#isField(field, at.field)
    if (!this.#isParameter(send, at.send) || !isField) return undefined
    if (until !== undefined) this.#isParameter(until, [...steps, 'until'])
    if (text !== undefined && !text.includes('{time}'))
      this.#scope.found.note([...steps, 'text'], {
        message: 'has no {time}, so every run would ask for the same',
        example: "text: 'created:>={time}'",
      })
    return {
      ...(as === undefined || as === 'iso' ? {} : { as }),
      ...(text === undefined ? {} : { text }),
      param: send,
      ...(until === undefined ? {} : { until }),
      ...(first === undefined ? {} : { first }),
      field,
      lookback: overlap === undefined ? overlapSeconds : readSpan(overlap),
      ...(fixed === true ? { fixed: true } : {}),
      ...(sorted === true ? { sorted: true } : {}),
    }
  }

  #changes(names: readonly string[], changes: FileChanges, steps: Steps): Changes | undefined {
    if (!this.#isEntity(changes.entity, ['changes', 'entity'])) return undefined
    const source = this.#source.entities[changes.entity]
    const { field, send, as = readTimeForm(source?.list?.params ?? {}, send) } = readSince(changes.since)
    refer(this.#scope, {
      steps: ['changes', 'since'],
      what: `a parameter of ${changes.entity}.list`,
      name: send,
      valid: Object.keys(source?.list?.params ?? {}),
    })
    this.#isField(field, ['changes', 'since'], source?.record, changes.entity)
    const [[whereField, values] = ['', '']] = Object.entries(changes.where)
    const fill = (templates: string | readonly string[]) => [
      ...new Set([templates].flat().flatMap((template) => names.map((name) => template.replaceAll('{name}', name)))),
    ]
    if (names.length === 0) this.#scope.found.note([...steps, 'changes'], { message: 'is empty', example: 'changes: customer' })
    return {
      entity: changes.entity,
      ...(changes.params === undefined ? {} : { params: changes.params }),
      since: { param: send, field, ...(as === undefined || as === 'iso' ? {} : { as }) },
      where: { field: whereField, is: fill(values) },
      gone: fill(changes.gone ?? []),
      record: changes.record,
      keepsDays: readSpan(changes.keeps) / secondsPerDay,
    }
  }

  /** Combines each value of one parameter with each of the others. */
  #values(values: Named<readonly Scalar[]>, steps: Steps): NonNullable<Sync['values']> {
    const count = Object.values(values).reduce((product, { length }) => product * length, 1)
    if (count > mostValues) {
      this.#scope.found.note(steps, { message: `makes ${count} walks; at most ${mostValues}` }, 'key')
      return []
    }
    let all: readonly Named<Scalar>[] = [{}]
    for (const [name, of] of Object.entries(values)) {
      this.#isParameter(name, [...steps, name])
      all = all.flatMap((each) => of.map((value) => ({ ...each, [name]: value })))
    }
    return all
  }

  build(sync: FileSync): Sync {
    const { steps } = this.#source
    const { params, since, values, newest, token, changes, gone, after } = sync
    for (const name of Object.keys(params ?? {})) this.#isParameter(name, [...steps, 'params', name])
    const [afterField, afterParam] = Object.entries(after ?? {})[0] ?? []
    if (afterField !== undefined && this.#isField(afterField, [...steps, 'after', afterField]))
      this.#isParameter(afterParam ?? '', [...steps, 'after', afterField])
    if (newest !== undefined) this.#isField(newest, [...steps, 'newest'])
    const records = [['the record', this.#own.record ?? {}]] as const
    const [builtGone] = gone === undefined ? [] : readConditions(this.#scope, gone, { steps: [...steps, 'gone'], records })
    if (token !== undefined) this.#isParameter(token.send, [...steps, 'token', 'send'])
    const source = this.#scope.file.changes
    if (changes !== undefined && source === undefined)
      this.#scope.found.note([...steps, 'changes'], {
        message: 'there is no list of changes: the file needs changes',
        example: 'changes: { entity: events, … }',
      })
    const builtSince = since === undefined ? undefined : this.#since(since, [...steps, 'since'])
    const builtChanges = changes === undefined || source === undefined ? undefined : this.#changes([changes].flat(), source, steps)
    return {
      ...(params === undefined ? {} : { params }),
      ...this.#parents(sync, steps),
      ...(builtSince === undefined ? {} : { since: builtSince }),
      ...(values === undefined ? {} : { values: this.#values(values, [...steps, 'values']) }),
      ...(newest === undefined ? {} : { newest }),
      ...(token === undefined ? {} : { token: { read: token.read, param: token.send } }),
      ...(builtChanges === undefined ? {} : { changes: builtChanges }),
      ...(builtGone === undefined ? {} : { gone: builtGone }),
      ...(afterField === undefined || afterParam === undefined ? {} : { after: { param: afterParam, field: afterField } }),
    }
  }
}

/** Builds the sync of an entity. */
export const buildSync = (scope: BuildScope, source: SyncSource, sync: FileSync): Sync => new SyncBuilder(scope, source).build(sync)
