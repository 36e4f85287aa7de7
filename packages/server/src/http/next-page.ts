import type { Page } from 'ferrule/wire'

/**
 * A page as it is sent: its cursor becomes the address of the next page, with the query of this one.
 * The address is relative, so it holds behind any proxy.
 */
export function nextPage<T>(path: string, query: Readonly<Record<string, unknown>>, page: Page<T>): Page<T> {
  if (page.next === null) return page
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string' && name !== 'cursor') next.set(name, value)
  next.set('cursor', page.next)
  return { data: page.data, next: `${path}?${next}` }
}
