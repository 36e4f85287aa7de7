/** Finds the methods of a path, for requests without a route. */
import type { Route } from './route.ts'

const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`)

const slotsIn = (path: string): number => path.split('{').length - 1

/**
 * A function from a path (without query) to the methods that it takes: empty where no route is. Where several routes fit a path, it is
 * that of the one with the fewest slots: `/workspaces/stats` is no workspace.
 * It runs for unmatched requests only.
 */
export function allowedMethods(routes: readonly Pick<Route, 'method' | 'path'>[]): (path: string) => readonly string[] {
  const table = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, own]) => ({ path, pattern: toPattern(path), methods: own.map(({ method }) => method) }))
    .toSorted((a, b) => slotsIn(a.path) - slotsIn(b.path))
  return (path) => {
    const { methods = [] } = table.find(({ pattern }) => pattern.test(path)) ?? {}
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted()
  }
}
