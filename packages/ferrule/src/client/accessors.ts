/** Entities of a connector as members. No kind is loaded: the service knows which entities and actions there are. */
import type { HostedCallOptions } from './call-options.ts'
import type { Hosted } from './connector.ts'

type Args = [params?: Readonly<Record<string, unknown>>, options?: HostedCallOptions]

/** Names of entities and actions. Runtimes and tools look for other names, for example `then`, `toJSON` or `$$typeof`. */
const isName = (name: string | symbol): name is string => typeof name === 'string' && name !== 'then' && /^[a-z][a-z0-9_]*$/.test(name)

/** Makes an object whose unknown members are made from their names. */
function withMembers<T extends object>(own: T, make: (name: string) => unknown): T {
  const made = new Map<string, unknown>()
  return new Proxy(own, {
    get: (target, name) => {
      if (name in target || !isName(name)) return Reflect.get(target, name)
      if (!made.has(name)) made.set(name, make(name))
      return made.get(name)
    },
  })
}

const buildEntity = (hosted: Hosted, entity: string): object => {
  const search = Object.assign((...args: Args) => hosted.search(entity, ...args), {
    pages: (...args: Args) => hosted.searchPages(entity, ...args),
    records: (...args: Args) => hosted.searchRecords(entity, ...args),
  })
  const own = {
    pages: (...args: Args) => hosted.pages(entity, ...args),
    records: (...args: Args) => hosted.records(entity, ...args),
    parts: (...args: Args) => hosted.parts(entity, ...args),
    rows: (...args: Args) => hosted.rows(entity, ...args),
    export: (...args: Args) => hosted.export(entity, ...args),
    search,
  }
  return withMembers(
    own,
    (action) =>
      (...args: Args) =>
        hosted.execute(entity, action, ...args),
  )
}

/** Gives a connector its entities as members, for example `connector.calls.list()`. */
export function withEntities(hosted: Hosted): object {
  const close = () => hosted.close()
  const own = {
    execute: (...args: Parameters<Hosted['execute']>) => hosted.execute(...args),
    pages: (...args: Parameters<Hosted['pages']>) => hosted.pages(...args),
    records: (...args: Parameters<Hosted['records']>) => hosted.records(...args),
    check: (...args: Parameters<Hosted['check']>) => hosted.check(...args),
    id: (...args: Parameters<Hosted['id']>) => hosted.id(...args),
    close,
    [Symbol.asyncDispose]: close,
  }
  return withMembers(own, (entity) => buildEntity(hosted, entity))
}
