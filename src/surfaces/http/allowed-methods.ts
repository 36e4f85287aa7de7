/** Which methods a path takes, for requests that match no route. */
import type { Route } from './route.ts'

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`)

/**
 * A function from a path (without query) to the methods that it takes: empty where no route is.
 * It runs for unmatched requests only.
 */
export function allowedMethods(routes: readonly Pick<Route, 'method' | 'path'>[]): (path: string) => readonly string[] {
  const table = routes.map(({ method, path }) => ({ pattern: patternOf(path), methods: method === 'GET' ? ['GET', 'HEAD'] : [method] }))
  return (path) => [...new Set(table.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))].toSorted()
}
